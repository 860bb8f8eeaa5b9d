// Emits the file around the function: includes, the description, main().
#include "greenmarl/emit.hpp"

#include <fmt/format.h>

#include "greenmarl/emit_expression.hpp"
#include "greenmarl/emit_function.hpp"
#include "greenmarl/emit_names.hpp"
#include "greenmarl/line_directives.hpp"

namespace Atoll::greenmarl {
namespace {

std::string_view literal_of(ValueType type) {
  switch (type) {
    case ValueType::int32:
      return "ValueType::int32";
    case ValueType::int64:
      return "ValueType::int64";
    case ValueType::float32:
      return "ValueType::float32";
    case ValueType::float64:
      return "ValueType::float64";
    case ValueType::boolean:
      return "ValueType::boolean";
    case ValueType::node:
      return "ValueType::node";
    case ValueType::edge:
      return "ValueType::edge";
  }
  return "?";
}

std::string cpp_formula(const Formula& formula) {
  std::string terms;
  for (const Formula::Term& term : formula.terms()) {
    std::string symbols;
    for (const std::string& symbol : term.symbols)
      symbols += (symbols.empty() ? "" : ", ") + cpp_string(symbol);
    terms += fmt::format("{}{{{}, {{{}}}}}", terms.empty() ? "" : ", ", term.coefficient, symbols);
  }
  return fmt::format("Formula::of({{{}}})", terms);
}

/// Returns the initialiser of a graph's number; "" for the first graph.
std::string graph_text(std::string_view member, std::uint32_t graph) {
  return graph == 0 ? "" : fmt::format(", .{} = {}", member, graph);
}

std::string array_text(const ArrayUse& use) {
  std::string text = fmt::format("  arrays.push_back({{.name = {}, .type = {},\n",
                                 cpp_string(use.name), literal_of(use.type));
  text += fmt::format("                    .pattern = {{.elements = {}{}{},\n",
                      cpp_formula(use.pattern.elements),
                      use.pattern.graph_own ? ", .graph_own = true" : "",
                      use.pattern.temporary ? ", .temporary = true" : "");
  text += "                                .accesses = {";
  for (std::size_t i = 0; i < use.pattern.accesses.size(); ++i) {
    const PatternAccess& access = use.pattern.accesses[i];
    text += fmt::format("{}{{{}, Order::{}, {}}}", i == 0 ? "" : ",\n" + std::string(45, ' '),
                        access.write ? "true" : "false", to_string(access.order),
                        cpp_formula(access.count));
  }
  text += "}}";
  if (use.result) text += ", .result = true";
  if (!use.group.empty()) text += ", .group = " + cpp_string(use.group);
  if (use.input) text += ", .input = true";
  if (use.edges) text += ", .edges = true";
  if (use.needed) text += ", .needed = true";
  text += graph_text("graph", use.graph) + graph_text("value_graph", use.value_graph);
  return text + "});\n";
}

std::string_view literal_of(CollectionKind kind) {
  switch (kind) {
    case CollectionKind::set:
      return "CollectionKind::set";
    case CollectionKind::order:
      return "CollectionKind::order";
    case CollectionKind::sequence:
      return "CollectionKind::sequence";
    case CollectionKind::map:
      return "CollectionKind::map";
  }
  return "?";
}

std::string_view literal_of(CollectionPlace place) {
  switch (place) {
    case CollectionPlace::alone:
      return "alone";
    case CollectionPlace::listed:
      return "listed";
    case CollectionPlace::nodes:
      return "nodes";
    case CollectionPlace::edges:
      return "edges";
  }
  return "?";
}

std::string collection_text(const CollectionUse& use) {
  std::string text = fmt::format(
      "  procedure.collections.push_back({{.name = {}, .kind = Atoll::{},\n"
      "                                   .key = {}, .value = {}{}{}",
      cpp_string(use.name), literal_of(use.kind), literal_of(use.key), literal_of(use.value),
      use.input ? ", .input = true" : "", use.result ? ", .result = true" : "");
  if (use.place != CollectionPlace::alone)
    text += fmt::format(",\n                                   .place = Atoll::CollectionPlace::{}",
                        literal_of(use.place));
  return text + graph_text("graph", use.graph) + graph_text("value_graph", use.value_graph) +
         "});\n";
}

std::string literal_of(const Procedure& procedure) {
  std::string text = "[[gnu::cold]] Atoll::Procedure describe() {\n";
  text += "  using Atoll::Formula, Atoll::Order, Atoll::ValueType;\n";
  text += fmt::format("  Atoll::Procedure procedure{{{}, {}, {{}}, {{}}}};\n",
                      cpp_string(procedure.name), cpp_string(procedure.source));
  for (const Argument& argument : procedure.arguments)
    text +=
        fmt::format("  procedure.arguments.push_back({{.name = {}, .type = {}{}{}}});\n",
                    cpp_string(argument.name), literal_of(argument.type),
                    argument.output ? ", .output = true" : "", graph_text("graph", argument.graph));
  text += "  auto& arrays = procedure.arrays;\n";
  for (const ArrayUse& use : procedure.arrays) text += array_text(use);
  for (const CollectionUse& use : procedure.collections) text += collection_text(use);
  if (procedure.returns)
    text += fmt::format("  procedure.returns = {};\n", literal_of(*procedure.returns));
  if (procedure.returned_graph > 0)
    text += fmt::format("  procedure.returned_graph = {};\n", procedure.returned_graph);
  std::string graphs;
  for (const std::string& graph : procedure.graphs)
    graphs += (graphs.empty() ? "" : ", ") + cpp_string(graph);
  text += fmt::format("  procedure.graphs = {{{}}};\n", graphs);
  return text + "  return procedure;\n}\n";
}

/// Returns a function that adds the types of the procedure's collections; "" if it has none.
std::string types_text(const ir::Procedure& procedure) {
  if (procedure.collections.empty()) return "";
  std::string text =
      "template <class Node, class Edge>\n"
      "void add_types(Atoll::program::CollectionTypes& types) {\n";
  for (const ir::SymbolId id : procedure.collections) {
    const ir::Symbol& symbol = procedure[id];
    const std::string type = cpp_type(ir::element_type(symbol));
    text += fmt::format(
        "  types.add<{}>({});\n",
        symbol.kind == ir::Symbol::Kind::property ? fmt::format("std::vector<{}>", type) : type,
        cpp_string(symbol.name));
  }
  return text + "}\n\n";
}

std::string includes() {
  return "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n"
         "#include <functional>\n#include <limits>\n#include <vector>\n\n"
         "#include \"atoll/program/program.hpp\"\n#include \"atoll/program/runtime.hpp\"\n\n";
}

}  // namespace

std::string emit_part(const ir::Procedure& procedure, const Procedure& description) {
  return emit_function(procedure, cpp_name(procedure.name)) + "\n" + types_text(procedure) +
         literal_of(description);
}

std::string entry_text(std::string_view scope, std::string_view function_name,
                       const Procedure& description) {
  std::string text =
      fmt::format("Atoll::program::Entry::of([](auto& run) {{ {}{}(run); }}", scope, function_name);
  if (!description.collections.empty())
    text += fmt::format(
        ",\n      []<class Node, class Edge>(auto& types) {{ {}add_types<Node, Edge>(types); }}",
        scope);
  return text + ")";
}

std::string library_includes() {
  return includes() +
         "#include <new>\n#include <span>\n\n#include \"atoll/program/library.hpp\"\n\n";
}

std::string emit(const ir::Procedure& procedure, const Procedure& description) {
  const std::string name = cpp_name(procedure.name);
  std::string text =
      fmt::format("// {}, compiled from Green-Marl by Atoll {}.\n", name, ATOLL_VERSION);
  text += includes() + "namespace {\n\n" + emit_part(procedure, description);
  text += fmt::format(
      "\n}}  // namespace\n\nint main(int argc, char** argv) {{\n"
      "  return Atoll::program::main(argc, argv, describe(),\n"
      "                              {});\n}}\n",
      entry_text("", name, description));
  return with_own_lines(text, name + ".cpp");
}

}  // namespace Atoll::greenmarl
