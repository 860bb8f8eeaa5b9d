// Emits the elements of expressions: types, literals, array elements.
#include <fmt/format.h>

#include <filesystem>

#include "greenmarl/emit_expression.hpp"

namespace Atoll::greenmarl {

std::string_view cpp_type(ValueType type) {
  switch (type) {
    case ValueType::int32:
      return "std::int32_t";
    case ValueType::int64:
      return "std::int64_t";
    case ValueType::float32:
      return "float";
    case ValueType::float64:
      return "double";
    case ValueType::boolean:
      return "bool";
    case ValueType::node:
      return "Node";
    case ValueType::edge:
      return "Edge";
  }
  return "?";
}

std::string cpp_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    const auto byte = static_cast<unsigned char>(c);
    literal += byte < ' ' || byte == 0x7f ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return literal + '"';
}

std::string cpp_type(const Type& type) {
  switch (type.shape) {
    case Shape::value:
      return std::string(cpp_type(type.value));
    case Shape::collection:
      switch (type.collection) {
        case CollectionShape::set:
          return "Atoll::graph::NodeSet<Node>";
        case CollectionShape::order:
          return "Atoll::graph::NodeOrder<Node>";
        case CollectionShape::sequence:
          return "Atoll::graph::NodeSequence<Node>";
        case CollectionShape::many:
          return fmt::format("Atoll::graph::CollectionSequence<{}>", cpp_type(type.of[0]));
      }
      break;
    case Shape::map:
      return fmt::format("Atoll::graph::Map<{}, {}>", cpp_type(type.of[0]), cpp_type(type.of[1]));
    case Shape::property:
    case Shape::graph:
      break;
  }
  throw InternalError("a type that no variable has");
}

std::string cpp_zero(const Type& type) {
  if (type.is_element()) return fmt::format("Atoll::graph::kNil<{}>", cpp_type(type));
  return type.is(ValueType::boolean) ? "false" : "0";
}

std::string cpp_place(const ir::Procedure& procedure, Position at) {
  const std::filesystem::path file = procedure.source->name;
  return cpp_string(fmt::format("{}:{}:{}", file.filename().string(), at.line, at.column));
}

std::string cpp_index(const ir::Procedure& procedure, const Environment& environment,
                      ir::SymbolId node, bool checked, Position at) {
  std::string index = environment.values.at(node);
  if (environment.in_parallel && environment.shared.contains(node))
    index = fmt::format("Atoll::graph::load({})", index);
  if (!checked) return index;
  return fmt::format("Atoll::program::existing({}, {})", index, cpp_place(procedure, at));
}

std::string cpp_element(const Environment& environment, ir::SymbolId property,
                        const std::string& index) {
  if (environment.on_pointers)
    return fmt::format("{}[{}]", environment.pointers.at(property), index);
  return fmt::format("{}.get({})", environment.objects.at(property), index);
}

std::string cpp_element(const Environment& environment, ir::SymbolId graph, ir::GraphArray array,
                        const std::string& index) {
  if (environment.on_pointers)
    return fmt::format("{}[{}]", environment.graph_pointers.at({graph, array}), index);
  return fmt::format("{}.{}.get({})", environment.values.at(graph), ir::to_string(array), index);
}

std::string cpp_pointer(const Environment& environment, ir::SymbolId graph, ir::GraphArray array) {
  if (environment.on_pointers) return environment.graph_pointers.at({graph, array});
  return fmt::format("{}.{}.local().data()", environment.values.at(graph), ir::to_string(array));
}

std::string cpp_collection(const ir::Procedure& procedure, const Environment& environment,
                           ir::Place place, bool checked, Position at) {
  if (procedure[place.symbol].kind != ir::Symbol::Kind::property)
    return environment.values.at(place.symbol);
  return fmt::format("{}[{}]", environment.objects.at(place.symbol),
                     cpp_index(procedure, environment, place.node, checked, at));
}

}  // namespace Atoll::greenmarl
