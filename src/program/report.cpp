// Formats a run's report as aligned text of at most 80 columns, or as one JSON object.
#include "program/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "atoll/base/json.hpp"
#include "atoll/base/units.hpp"
#include "program/columns.hpp"

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

Json array_json(const ArrayReport& array) {
  const Choice& choice = array.decided.choice;
  const AccessPattern& pattern = array.decided.use->pattern;
  Json out{{"name", choice.name},
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
  out["layout"] = Json::parse(Atoll::to_json(choice.layout));
  out["why"] = choice.why;
  out["estimated_seconds"] = choice.estimated_seconds;
  for (const CopyWhereabouts& copy : array.copies) {
    Json pages = Json::object();
    for (const auto& [node, count] : copy.pages_by_node) pages[std::to_string(node.value)] = count;
    out["copies"].push_back({{"pages_by_node", pages}, {"misplaced", copy.misplaced}});
  }
  return out;
}

bool is_number(ValueType type) {
  return type != ValueType::node && type != ValueType::edge && type != ValueType::boolean;
}

std::string table_text(const ResultTable& table) {
  if (table.rows.empty()) return "";
  std::vector<TextColumn> columns{{table.edges ? "from" : "node", {}}};
  if (table.edges) columns.push_back({"to", {}});
  const std::size_t keys = columns.size();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    columns.push_back({table.columns[i], {}, is_number(table.rows.front().values[i].type)});
  for (const ResultRow& row : table.rows) {
    for (std::size_t i = 0; i < keys; ++i) columns[i].cells.push_back(row.names[i]);
    for (std::size_t i = 0; i < row.values.size(); ++i)
      columns[keys + i].cells.push_back(row.values[i].text);
  }
  return fmt::format("\n{} {}\n{}", table.ascending ? "Lowest" : "Highest", table.by,
                     side_by_side(std::move(columns), keys));
}

/// Formats items as "a, b, c, …".
std::string list_text(const CollectionRow& row) {
  std::string text;
  for (const Value& item : row.items) text += (text.empty() ? "" : ", ") + item.text;
  return text + (row.items.size() < row.count ? ", …" : "");
}

std::string many_text(const CollectionReport& collection) {
  const CollectionPlace place = collection.use->place;
  std::string out = fmt::format("\n{}: {} of {} {}\n", collection.use->name,
                                type_name(*collection.use), format_count(collection.count),
                                place == CollectionPlace::listed  ? "collections"
                                : place == CollectionPlace::nodes ? "nodes"
                                                                  : "edges");
  if (collection.many.empty()) return out;
  std::vector<TextColumn> columns;
  if (place == CollectionPlace::nodes) columns.push_back({"node", {}});
  if (place == CollectionPlace::edges) columns = {{"from", {}}, {"to", {}}};
  const std::size_t keys = columns.size();
  columns.push_back({"size", {}, true});
  columns.push_back({"nodes", {}});
  for (const CollectionRow& row : collection.many) {
    for (std::size_t i = 0; i < keys; ++i) columns[i].cells.push_back(row.names[i]);
    columns[keys].cells.push_back(format_count(row.count));
    columns[keys + 1].cells.push_back(list_text(row));
  }
  return out + side_by_side(std::move(columns), keys);
}

std::string collection_text(const CollectionReport& collection) {
  if (collection.use->place != CollectionPlace::alone) return many_text(collection);
  const bool map = collection.use->kind == CollectionKind::map;
  std::string out = fmt::format("\n{}: {} of {} {}\n", collection.use->name,
                                Atoll::to_string(collection.use->kind),
                                format_count(collection.count), map ? "keys" : "nodes");
  if (collection.items.empty()) return out;
  std::vector<TextColumn> columns{{map ? "key" : "node", {}}};
  if (map) columns.push_back({"value", {}, is_number(collection.use->value)});
  for (const auto& [item, value] : collection.items) {
    columns[0].cells.push_back(item.text);
    if (map) columns[1].cells.push_back(value.text);
  }
  return out + side_by_side(std::move(columns), 1);
}

/// A JSON number if possible, else text: JSON has no INF and no NaN.
Json value_json(const Value& value) {
  if (value.type == ValueType::boolean) return std::get<std::int64_t>(value.value) != 0;
  if (!is_number(value.type) || value.text.find_first_of("IN") != std::string::npos)
    return value.text;
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) return *integer;
  double number = 0;  // from the text: as a double, a Float would print more digits
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  return number;
}

Json row_json(const ResultRow& row, bool edges) {
  if (edges) return {{"edge", row.id}, {"from", row.names[0]}, {"to", row.names[1]}};
  return {{"node", row.id}, {"label", row.names[0]}};
}

Json result_json(const ResultReport& result) {
  Json out{{"name", result.name},
           {"type", Atoll::to_string(result.type)},
           {"of", result.edges ? "edges" : "nodes"},
           {"top", Json::array()}};
  if (result.sum) out["sum"] = value_json(*result.sum);
  for (const ResultRow& row : result.top) {
    Json top = row_json(row, result.edges);
    top["value"] = value_json(row.values.front());
    out["top"].push_back(std::move(top));
  }
  return out;
}

Json table_json(const ResultTable& table) {
  Json out{{"of", table.edges ? "edges" : "nodes"},
           {"by", table.by},
           {"ascending", table.ascending},
           {"rows", Json::array()}};
  for (const ResultRow& row : table.rows) {
    Json line = row_json(row, table.edges);
    for (std::size_t i = 0; i < row.values.size(); ++i)
      line["values"][table.columns[i]] = value_json(row.values[i]);
    out["rows"].push_back(std::move(line));
  }
  return out;
}

Json collection_json(const CollectionReport& collection) {
  Json out{{"name", collection.use->name},
           {"kind", Atoll::to_string(collection.use->kind)},
           {"size", collection.count},
           {"items", Json::array()}};
  if (collection.use->place != CollectionPlace::alone) out["type"] = type_name(*collection.use);
  for (const CollectionRow& row : collection.many) {
    Json one{{"size", row.count}, {"items", Json::array()}};
    if (row.names.size() == 1) one["node"] = row.names[0];
    if (row.names.size() == 2) one["from"] = row.names[0], one["to"] = row.names[1];
    for (const Value& item : row.items) one["items"].push_back(value_json(item));
    out["items"].push_back(std::move(one));
  }
  for (const auto& [item, value] : collection.items)
    if (collection.use->kind == CollectionKind::map)
      out["items"].push_back({{"key", value_json(item)}, {"value", value_json(value)}});
    else
      out["items"].push_back(value_json(item));
  return out;
}

/// The first graph's object is also the member "graph", as in the report of a procedure with one
/// graph.
Json graph_json(const RunReport& report, std::size_t i) {
  const graph::GraphSize size = i < report.sizes.size() ? report.sizes[i] : graph::GraphSize{};
  Json out{{"path", i < report.graphs.size() ? report.graphs[i] : ""},
           {"nodes", size.nodes},
           {"edges", size.edges},
           {"node_id_bytes", bytes_of(size.node_width)},
           {"edge_id_bytes", bytes_of(size.edge_width)}};
  if (report.graphs.size() > 1) out["name"] = report.procedure->graphs[i];
  return out;
}

}  // namespace

std::string to_text(const RunReport& report) {
  std::string out = report.procedure->name;
  const bool several = report.graphs.size() > 1;
  if (report.graphs.size() == 1) out += fmt::format(" on {}", report.graphs[0]);
  for (std::size_t i = 0; i < report.graphs.size(); ++i) {
    const graph::GraphSize& size = report.sizes[i];
    if (several) out += fmt::format("\n  {:<8} {}", report.procedure->graphs[i], report.graphs[i]);
    out += fmt::format("\n  {:<8} {} nodes, {} edges, {}-bit ids", several ? "" : "graph",
                       format_count(size.nodes), format_count(size.edges),
                       8 * bytes_of(size.node_width));
  }
  out += '\n';
  out += indented("  ", fmt::format("machine  {}: {} threads on node {}, policy {}",
                                    report.machine->name(), report.places->size(),
                                    Atoll::to_string(nodes_of(*report.places)), report.policy));
  if (!report.arrays.empty()) {
    out += "\nHow each array is used\n" + patterns_text(report);
    out += report.dry_run ? "\nWhere each array would lie\n" : "\nWhere each array lies\n";
    out += layouts_text(report);
  }
  if (report.dry_run) return out;

  out += fmt::format("\nTime: graph loaded in {}, arrays placed in {}, {} ran {}\n",
                     format_seconds(report.load_seconds), format_seconds(report.place_seconds),
                     report.procedure->name, format_seconds(report.run_seconds));
  for (const auto& [symbol, count] : report.trip_counts)
    out += fmt::format("Iterations: {} = {} ({} each)\n", symbol, format_count(count),
                       format_seconds(report.run_seconds /
                                      static_cast<double>(std::max<std::uint64_t>(count, 1))));
  if (report.returned) out += fmt::format("Returned: {}\n", report.returned->text);
  for (const auto& [name, value] : report.outputs) out += fmt::format("{}: {}\n", name, value.text);
  for (const ResultTable& table : report.tables) out += table_text(table);
  for (const CollectionReport& collection : report.collections) out += collection_text(collection);
  return out;
}

std::string to_json(const RunReport& report) {
  Json out{{"program", report.procedure->name}, {"source", report.procedure->source},
           {"graph", graph_json(report, 0)},    {"machine", report.machine->name()},
           {"threads", report.places->size()},  {"policy", report.policy},
           {"dry_run", report.dry_run},         {"arrays", Json::array()}};
  if (report.graphs.size() > 1)
    for (std::size_t i = 0; i < report.graphs.size(); ++i)
      out["graphs"].push_back(graph_json(report, i));
  for (const NodeId node : nodes_of(*report.places)) out["thread_nodes"].push_back(node.value);
  for (const ArrayReport& array : report.arrays) out["arrays"].push_back(array_json(array));
  if (report.dry_run) return out.dump_sorted();

  out["seconds"] = {
      {"load", report.load_seconds}, {"place", report.place_seconds}, {"run", report.run_seconds}};
  out["trip_counts"] = Json::object();
  for (const auto& [symbol, count] : report.trip_counts) out["trip_counts"][symbol] = count;
  if (report.returned) out["returned"] = value_json(*report.returned);
  for (const auto& [name, value] : report.outputs) out["outputs"][name] = value_json(value);
  out["results"] = Json::array();
  const auto with_graph = [&](Json of_graph, std::uint32_t graph) {
    if (report.graphs.size() > 1) of_graph["graph"] = report.procedure->graphs[graph];
    return of_graph;
  };
  for (const ResultReport& result : report.results)
    out["results"].push_back(with_graph(result_json(result), result.graph));
  for (const ResultTable& table : report.tables)
    out["tables"].push_back(with_graph(table_json(table), table.graph));
  for (const CollectionReport& collection : report.collections)
    out["collections"].push_back(collection_json(collection));
  out["peak_rss_bytes"] = report.peak_rss_bytes;
  return out.dump_sorted();
}

}  // namespace Atoll::program
