// A run's report: aligned text of at most 80 columns, or one JSON object.
#include "program/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "atoll/base/units.hpp"

namespace Atoll::program {
namespace {

std::string pages_text(const CopyWhereabouts& copy) {
  std::string text;
  for (const auto& [node, pages] : copy.pages_by_node)
    text += fmt::format("{}node {}: {}", text.empty() ? "" : ", ", node.value, format_count(pages));
  text += copy.misplaced == 0
              ? " (as laid out)"
              : fmt::format(" ({} elsewhere than laid out)", format_count(copy.misplaced));
  return text;
}

std::string indented(std::string_view indent, std::string_view text) {
  constexpr std::size_t kWidth = 80;
  std::string out;
  std::string line(indent);
  bool empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, space - at);
    if (!empty && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = std::string(indent) + "  ";
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
    at = space + 1;
  }
  return out + line + "\n";
}

std::string scalar_text(const Scalar& value) {
  return std::visit([](auto number) { return fmt::format("{}", number); }, value);
}

std::string patterns_text(const RunReport& report) {
  std::string out =
      fmt::format("{:<14} {:>9}  ro std tmp idx  {:<20} {}\n", "array", "size", "reads", "writes");
  for (const ArrayReport& array : report.arrays) {
    const AccessPattern& pattern = array.decided.use->pattern;
    const auto mark = [](bool is) { return is ? 'y' : ' '; };
    out += fmt::format("{:<14} {:>9}   {}  {}   {}   {}   {:<20} {}\n", array.decided.use->name,
                       format_bytes(array.decided.elements * array.decided.element_bytes),
                       mark(pattern.read_only()), mark(pattern.graph_own), mark(pattern.temporary),
                       mark(pattern.indexed()), pattern.reads().to_string(),
                       pattern.writes().to_string());
  }
  return out;
}

std::string layouts_text(const RunReport& report) {
  std::string out;
  for (const ArrayReport& array : report.arrays) {
    const Choice& choice = array.decided.choice;
    if (!choice.allocated) {
      out += fmt::format("{:<14} not allocated: unused\n", choice.name);
      continue;
    }
    out += fmt::format("{:<14} {}\n", choice.name, Atoll::to_string(choice.layout));
    out += indented("    ", choice.why);
    for (std::size_t copy = 0; copy < array.copies.size(); ++copy)
      out += indented("    ",
                      fmt::format("pages{} on {}",
                                  array.copies.size() > 1 ? fmt::format(" of copy {}", copy) : "",
                                  pages_text(array.copies[copy])));
  }
  return out;
}

nlohmann::json array_json(const ArrayReport& array) {
  const Choice& choice = array.decided.choice;
  const AccessPattern& pattern = array.decided.use->pattern;
  nlohmann::json out{{"name", choice.name},
                     {"elements", array.decided.elements},
                     {"element_bytes", array.decided.element_bytes},
                     {"pattern",
                      {{"elements", pattern.elements.to_string()},
                       {"used", pattern.used()},
                       {"read_only", pattern.read_only()},
                       {"graph_own", pattern.graph_own},
                       {"temporary", pattern.temporary},
                       {"indexed", pattern.indexed()},
                       {"reads", pattern.reads().to_string()},
                       {"writes", pattern.writes().to_string()}}},
                     {"allocated", choice.allocated}};
  if (!choice.allocated) return out;
  out["bytes"] = choice.bytes;
  out["layout"] = nlohmann::json::parse(Atoll::to_json(choice.layout));
  out["why"] = choice.why;
  out["estimated_seconds"] = choice.estimated_seconds;
  for (const CopyWhereabouts& copy : array.copies) {
    nlohmann::json pages = nlohmann::json::object();
    for (const auto& [node, count] : copy.pages_by_node) pages[std::to_string(node.value)] = count;
    out["copies"].push_back({{"pages_by_node", pages}, {"misplaced", copy.misplaced}});
  }
  return out;
}

}  // namespace

std::string to_text(const RunReport& report) {
  std::string out = fmt::format("{} on {}\n", report.procedure->name, report.graph);
  out += fmt::format("  graph    {} nodes, {} edges, {}-bit ids\n", format_count(report.size.nodes),
                     format_count(report.size.edges), 8 * bytes_of(report.size.node_width));
  out += indented("  ", fmt::format("machine  {}: {} threads on node {}, policy {}",
                                    report.machine->name(), report.places->size(),
                                    Atoll::to_string(nodes_of(*report.places)), report.policy));
  out += "\nHow each array is used\n" + patterns_text(report);
  out += report.dry_run ? "\nWhere each array would lie\n" : "\nWhere each array lies\n";
  out += layouts_text(report);
  if (report.dry_run) return out;

  out += fmt::format("\nTime: graph loaded in {}, arrays placed in {}, {} ran {}\n",
                     format_seconds(report.load_seconds), format_seconds(report.place_seconds),
                     report.procedure->name, format_seconds(report.run_seconds));
  for (const auto& [symbol, count] : report.trip_counts)
    out += fmt::format("Iterations: {} = {} ({} each)\n", symbol, format_count(count),
                       format_seconds(report.run_seconds /
                                      static_cast<double>(std::max<std::uint64_t>(count, 1))));
  if (report.returned) out += fmt::format("Returned: {}\n", scalar_text(*report.returned));
  for (const ResultReport& result : report.results) {
    out += fmt::format("\nHighest {}\n", result.name);
    int rank = 0;
    for (const TopValue& top : result.top)
      out += fmt::format("{:>4}  {:<12.6g} {}\n", ++rank, top.value, top.label);
  }
  return out;
}

std::string to_json(const RunReport& report) {
  nlohmann::json out{{"program", report.procedure->name},
                     {"source", report.procedure->source},
                     {"graph",
                      {{"path", report.graph},
                       {"nodes", report.size.nodes},
                       {"edges", report.size.edges},
                       {"node_id_bytes", bytes_of(report.size.node_width)},
                       {"edge_id_bytes", bytes_of(report.size.edge_width)}}},
                     {"machine", report.machine->name()},
                     {"threads", report.places->size()},
                     {"policy", report.policy},
                     {"dry_run", report.dry_run},
                     {"arrays", nlohmann::json::array()}};
  for (const NodeId node : nodes_of(*report.places)) out["thread_nodes"].push_back(node.value);
  for (const ArrayReport& array : report.arrays) out["arrays"].push_back(array_json(array));
  if (report.dry_run) return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);

  out["seconds"] = {
      {"load", report.load_seconds}, {"place", report.place_seconds}, {"run", report.run_seconds}};
  out["trip_counts"] = nlohmann::json::object();
  for (const auto& [symbol, count] : report.trip_counts) out["trip_counts"][symbol] = count;
  if (report.returned) std::visit([&](auto value) { out["returned"] = value; }, *report.returned);
  out["results"] = nlohmann::json::array();
  for (const ResultReport& result : report.results) {
    nlohmann::json top = nlohmann::json::array();
    for (const TopValue& value : result.top)
      top.push_back({{"node", value.node}, {"label", value.label}, {"value", value.value}});
    out["results"].push_back({{"name", result.name}, {"sum", result.sum}, {"top", top}});
  }
  out["peak_rss_bytes"] = report.peak_rss_bytes;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace Atoll::program
