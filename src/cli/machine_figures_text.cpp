// Prints a machine's memories and links, the sources of figures, and orderings.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "atoll/base/units.hpp"
#include "cli/machine_text.hpp"
#include "machine/node_set.hpp"

namespace Atoll::cli {
namespace {

using detail::format_nodes;

constexpr std::size_t kWidth = 80;

std::vector<NodeId> targets_of(const Machine& machine) {
  std::vector<NodeId> nodes;
  for (const MemoryNode& memory : machine.memories()) nodes.push_back(memory.id);
  return nodes;
}

/// A quantity of a link, its unit and its figure, which has a source (a distance has none).
struct Quantity {
  const char* name;
  const char* unit;
  double scale;
  const Figure& (*figure)(const Link&);
};
constexpr Quantity kQuantities[] = {
    {"latency", "ns", 1, [](const Link& link) -> const Figure& { return link.latency_ns; }},
    {"read", "GB/s", 1e-9,
     [](const Link& link) -> const Figure& { return link.read_bytes_per_second; }},
    {"write", "GB/s", 1e-9,
     [](const Link& link) -> const Figure& { return link.write_bytes_per_second; }},
};

std::string number(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string cell(const Figure& figure, double scale) {
  return (figure.source.origin == Origin::estimated ? "~" : "") + number(figure.value * scale);
}

using Cell = std::function<std::string(const Link&)>;

/// Returns the lines of one matrix, with the title first.
std::vector<std::string> matrix(const Machine& machine, const std::string& title,
                                const Cell& cell_of) {
  const std::vector<NodeId> targets = targets_of(machine);
  std::vector<std::vector<std::string>> rows(1, {""});
  for (const NodeId to : targets) rows[0].push_back(fmt::to_string(to.value));
  for (const NodeId from : machine.initiators()) {
    rows.push_back({fmt::to_string(from.value)});
    for (const NodeId to : targets) rows.back().push_back(cell_of(machine.link(from, to)));
  }
  std::size_t width = 0;
  for (const auto& row : rows)
    for (const std::string& text : row) width = std::max(width, text.size());
  std::vector<std::string> lines{title};
  for (const auto& row : rows) {
    std::string line = fmt::format("{:>4} ", row[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format(" {:>{}}", row[i], width);
    lines.push_back(line);
  }
  return lines;
}

std::size_t width_of(const std::vector<std::string>& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, line.size());
  return width;
}

/// Adds spaces after commas ("0,1" becomes "0, 1"), so that the list can be wrapped.
std::string spaced(const std::string& list) {
  std::string text;
  for (const char c : list) text.append(1, c).append(c == ',' ? " " : "");
  return text;
}

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

/// Places as many blocks side by side as fit.
std::string side_by_side(const std::vector<std::vector<std::string>>& blocks) {
  constexpr std::size_t kGap = 4;
  std::string text;
  for (std::size_t begin = 0; begin < blocks.size();) {
    std::size_t used = 2 + width_of(blocks[begin]);
    std::size_t end = begin + 1;
    while (end < blocks.size() && used + kGap + width_of(blocks[end]) <= kWidth)
      used += kGap + width_of(blocks[end++]);
    for (std::size_t row = 0; row < blocks[begin].size(); ++row) {
      std::string line = "  ";
      for (std::size_t i = begin; i < end; ++i)
        line +=
            fmt::format("{:<{}}", blocks[i][row], width_of(blocks[i]) + (i + 1 < end ? kGap : 0));
      text += trimmed(line) + '\n';
    }
    begin = end;
  }
  return text;
}

/// Returns a row for each distance, with the range of its links' figures.
std::string by_distance(const Machine& machine) {
  std::map<double, std::vector<const Link*>> classes;
  for (const NodeId from : machine.initiators())
    for (const NodeId to : targets_of(machine)) {
      const Link& link = machine.link(from, to);
      classes[link.distance].push_back(&link);
    }
  std::string text = fmt::format("  {:>8} {:>8}", "distance", "pairs");
  for (const Quantity& quantity : kQuantities)
    text += fmt::format(" {:>19}", fmt::format("{} ({})", quantity.name, quantity.unit));
  text += '\n';
  for (const auto& [distance, links] : classes) {
    text += fmt::format("  {:>8} {:>8}", number(distance), format_count(links.size()));
    for (const Quantity& quantity : kQuantities) {
      const auto [least, most] =
          std::minmax_element(links.begin(), links.end(), [&](const Link* a, const Link* b) {
            return quantity.figure(*a).value < quantity.figure(*b).value;
          });
      std::string range = cell(quantity.figure(**least), quantity.scale);
      const std::string other = cell(quantity.figure(**most), quantity.scale);
      if (other != range) range += " to " + other;
      text += fmt::format(" {:>19}", range);
    }
    text += '\n';
  }
  return text;
}

std::string list_of(const std::set<double>& distances) {
  std::string text;
  for (const double distance : distances) text += (text.empty() ? "" : ", ") + number(distance);
  return text;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      lines.append(indent, ' ').append(line).append("\n");
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.append(indent, ' ').append(line).append("\n");
  return lines;
}

/// 0 means unknown.
std::string capacity_text(std::uint64_t bytes) {
  return bytes == 0 ? "unknown" : format_bytes(bytes);
}

namespace {

std::string memory_sides_text(const Machine& machine) {
  std::string text;
  for (const MemorySideCache& cache : machine.hardware().memory_side_caches) {
    const auto shown = [](const RangedFigure& figure, double scale) {
      return cell({figure.value, figure.source}, scale);
    };
    const std::string ways = cache.ways == 1 ? "direct mapped" : fmt::format("{} ways", cache.ways);
    text += wrapped(fmt::format("in front of memory {}: a cache of {}, {}, lines of {}; {} ns, a "
                                "miss {} ns more, {} GB/s",
                                cache.memory.value, format_bytes(cache.bytes), ways,
                                format_bytes(cache.line_bytes), shown(cache.latency_ns, 1),
                                shown(cache.check_ns, 1), shown(cache.bytes_per_second, 1e-9)),
                    10);
  }
  return text;
}

}  // namespace

std::string memories_text(const Machine& machine) {
  std::vector<std::pair<MemoryNode, std::vector<NodeId>>> groups;  // groups of equal memories
  bool any_free = false;
  for (MemoryNode memory : machine.memories()) {
    const NodeId node = std::exchange(memory.id, NodeId{});
    any_free = any_free || memory.free_bytes;
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == memory; });
    if (known == groups.end())
      groups.push_back({memory, {node}});
    else
      known->second.push_back(node);
  }
  const std::vector<NodeId>& initiators = machine.initiators();
  std::string text = fmt::format("memories  {:<14}{:<6}{:>10}{:>12}   {}\n", "nodes", "tier",
                                 "capacity", any_free ? "free" : "in all", "processing units");
  for (const auto& [memory, nodes] : groups) {
    const bool own = std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      return std::binary_search(initiators.begin(), initiators.end(), node);
    });
    const bool none = std::none_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      return std::binary_search(initiators.begin(), initiators.end(), node);
    });
    const std::string last = any_free ? (memory.free_bytes ? format_bytes(*memory.free_bytes) : "?")
                                      : capacity_text(memory.capacity_bytes * nodes.size());
    std::string list = format_nodes(nodes);
    if (list.size() > 13) text += wrapped(spaced(std::exchange(list, "")), 10);
    text += fmt::format("          {:<14}{:<6}{:>10}{:>12}   {}\n", list, memory.tier,
                        capacity_text(memory.capacity_bytes), last,
                        own    ? "yes"
                        : none ? "none: a target only"
                               : "some");
  }
  if (machine.free_bytes())
    text +=
        fmt::format("          all together can give {}\n", format_bytes(*machine.free_bytes()));
  for (const MemoryNode& memory : machine.memories())
    if (memory.free_2m_pages + memory.free_1g_pages > 0)
      text += fmt::format("          {} set aside: {} pages of 2 MiB, {} of 1 GiB free\n",
                          memory.id.value, memory.free_2m_pages, memory.free_1g_pages);
  return text + memory_sides_text(machine);
}

std::string links_text(const Machine& machine) {
  std::vector<std::vector<std::string>> blocks;
  bool estimated = false;
  for (const Quantity& quantity : kQuantities) {
    blocks.push_back(
        matrix(machine, fmt::format("{} ({})", quantity.name, quantity.unit),
               [&](const Link& link) { return cell(quantity.figure(link), quantity.scale); }));
    for (const NodeId from : machine.initiators())
      for (const NodeId to : targets_of(machine))
        estimated =
            estimated || quantity.figure(machine.link(from, to)).source.origin == Origin::estimated;
  }
  blocks.push_back(
      matrix(machine, "distance", [](const Link& link) { return number(link.distance); }));
  std::string text = "links     from a node's processing units (row) to a memory (column)";
  if (estimated) text += "; ~ estimated";
  text += '\n';
  const bool fits = std::all_of(blocks.begin(), blocks.end(),
                                [](const auto& lines) { return 2 + width_of(lines) <= kWidth; });
  return text + (fits ? side_by_side(blocks) : by_distance(machine));
}

std::string threads_text(const Machine& machine) {
  struct Column {
    const char* name;
    const Figure& (*figure)(const ThreadsBandwidth&);
  };
  static constexpr Column kColumns[] = {
      {"read",
       [](const ThreadsBandwidth& row) -> const Figure& { return row.read_bytes_per_second; }},
      {"write",
       [](const ThreadsBandwidth& row) -> const Figure& { return row.write_bytes_per_second; }},
      {"copy",
       [](const ThreadsBandwidth& row) -> const Figure& { return row.copy_bytes_per_second; }},
  };
  std::set<int> counts;
  std::map<double, std::vector<const ThreadsBandwidth*>> of_distance;
  for (const NodeId from : machine.initiators())
    for (const NodeId to : targets_of(machine)) {
      const Link& link = machine.link(from, to);
      for (const ThreadsBandwidth& row : link.by_threads) {
        counts.insert(row.threads);
        of_distance[link.distance].push_back(&row);
      }
    }
  if (counts.empty()) return "";
  std::vector<std::vector<std::string>> blocks;
  for (const Column& column : kColumns) {
    std::vector<std::string>& lines = blocks.emplace_back();
    lines.push_back(fmt::format("{} (GB/s)", column.name));
    lines.push_back("threads");
    for (const auto& [distance, rows] : of_distance)
      lines.back() += fmt::format(" {:>5}", number(distance));
    for (const int count : counts) {
      lines.push_back(fmt::format("{:>7}", count));
      for (const auto& [distance, rows] : of_distance) {
        std::vector<double> values;
        for (const ThreadsBandwidth* row : rows)
          if (row->threads == count) values.push_back(column.figure(*row).value);
        std::sort(values.begin(), values.end());
        lines.back() +=
            fmt::format(" {:>5}", values.empty() ? "" : number(values[values.size() / 2] * 1e-9));
      }
    }
  }
  return "threads   bandwidth of so many of a node, by the memory's distance; median pair\n" +
         side_by_side(blocks) + '\n';
}

std::string sources_text(const Machine& machine) {
  std::string text = "sources\n";
  auto add = [&, last = std::string_view()](std::string_view what, const Source& source,
                                            const std::string& of) mutable {
    const std::string line = wrapped(source.text + of, 24);
    text += fmt::format("  {:<10}{:<12}{}", what == last ? "" : what, to_string(source.origin),
                        line.size() > 24 ? line.substr(24) : "\n");
    last = what;
  };
  std::vector<std::pair<Source, std::vector<NodeId>>> capacities;
  for (const MemoryNode& memory : machine.memories()) {
    const auto known = std::find_if(capacities.begin(), capacities.end(), [&](const auto& entry) {
      return entry.first == memory.source;
    });
    if (known == capacities.end())
      capacities.push_back({memory.source, {memory.id}});
    else
      known->second.push_back(memory.id);
  }
  for (const auto& [source, nodes] : capacities)
    add("capacity", source,
        capacities.size() > 1 ? fmt::format(" [memory {}]", format_nodes(nodes)) : "");
  for (const Quantity& quantity : kQuantities) {
    std::vector<std::pair<Source, std::set<double>>> sources;
    for (const NodeId from : machine.initiators())
      for (const NodeId to : targets_of(machine)) {
        const Link& link = machine.link(from, to);
        const Source& source = quantity.figure(link).source;
        const auto known = std::find_if(sources.begin(), sources.end(),
                                        [&](const auto& entry) { return entry.first == source; });
        if (known == sources.end())
          sources.push_back({source, {link.distance}});
        else
          known->second.insert(link.distance);
      }
    for (const auto& [source, distances] : sources)
      add(quantity.name, source,
          sources.size() > 1 ? fmt::format(" [distance {}]", list_of(distances)) : "");
  }
  return text;
}

std::string orders_text(const Machine& machine, std::optional<Ordering> only) {
  constexpr std::size_t kMaxRows = 8;
  std::vector<Ordering> orderings{Ordering::latency, Ordering::bandwidth, Ordering::capacity};
  if (only) orderings = {*only};
  std::vector<NodeId> from_nodes = machine.initiators();
  const std::size_t all = from_nodes.size();
  if (!only && all > 2 * kMaxRows) from_nodes.resize(kMaxRows);

  bool by_hand = false;
  std::vector<std::vector<std::string>> columns{{"from"}};
  for (const NodeId from : from_nodes) columns[0].push_back(fmt::to_string(from.value));
  for (const Ordering ordering : orderings) {
    columns.push_back({fmt::format("by {}", to_string(ordering))});
    for (const NodeId from : from_nodes) {
      const bool mark = machine.order_is_by_hand(from, ordering);
      by_hand = by_hand || mark;
      columns.back().push_back(format_nodes(machine.order(from, ordering)) + (mark ? "*" : ""));
    }
  }
  std::size_t width = 0;
  for (const auto& column : columns) width += 3 + width_of(column);
  std::string text = "orders    memories, best first";
  if (by_hand) text += "; * by hand";
  text += '\n';
  if (width <= kWidth) {
    for (std::size_t row = 0; row <= from_nodes.size(); ++row) {
      std::string line = fmt::format("{:>7}", columns[0][row]);
      for (std::size_t i = 1; i < columns.size(); ++i)
        line += fmt::format("   {:<{}}", columns[i][row], width_of(columns[i]));
      text += trimmed(line) + '\n';
    }
  } else {  // the orderings one below the other, with wrapped lists
    for (std::size_t i = 1; i < columns.size(); ++i)
      for (std::size_t row = 0; row <= from_nodes.size(); ++row)
        text +=
            fmt::format("{:>7}{}", columns[0][row], wrapped(spaced(columns[i][row]), 10).substr(7));
  }
  if (from_nodes.size() < all)
    text += fmt::format("  and so on from {} more; --fill-order latency prints them all\n",
                        all - from_nodes.size());
  return text;
}

}  // namespace Atoll::cli
