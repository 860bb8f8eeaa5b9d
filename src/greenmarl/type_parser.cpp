// The part of the parser that reads types.
#include <fmt/format.h>

#include <optional>

#include "greenmarl/expression_parser.hpp"

namespace Atoll::greenmarl {
namespace {

using ast::TypeName;

std::optional<ValueType> value_of(Tok kind) {
  switch (kind) {
    case Tok::int_type:
      return ValueType::int32;
    case Tok::long_type:
      return ValueType::int64;
    case Tok::float_type:
      return ValueType::float32;
    case Tok::double_type:
      return ValueType::float64;
    case Tok::bool_type:
      return ValueType::boolean;
    case Tok::node:
      return ValueType::node;
    case Tok::edge:
      return ValueType::edge;
    default:
      return std::nullopt;
  }
}

std::optional<TypeName::Kind> kind_of(Tok kind) {
  switch (kind) {
    case Tok::graph:
      return TypeName::Kind::graph;
    case Tok::node_prop:
      return TypeName::Kind::node_prop;
    case Tok::edge_prop:
      return TypeName::Kind::edge_prop;
    case Tok::node_set:
      return TypeName::Kind::node_set;
    case Tok::node_order:
      return TypeName::Kind::node_order;
    case Tok::node_seq:
      return TypeName::Kind::node_seq;
    case Tok::collection:
      return TypeName::Kind::collection;
    case Tok::map:
      return TypeName::Kind::map;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool ExpressionParser::at_value_type(std::size_t ahead) const {
  return value_of(peek(ahead).kind).has_value();
}

bool ExpressionParser::at_type() const {
  if (at(Tok::edge) && peek(1).kind == Tok::left_paren)  // true for "Edge(G) e;", false for
                                                         // "Edge(t).p = 0;"
    return peek(2).kind == Tok::identifier && peek(3).kind == Tok::right_paren &&
           peek(4).kind == Tok::identifier;
  return value_of(peek().kind).has_value() || kind_of(peek().kind).has_value();
}

ast::Name ExpressionParser::graph_of_type() {
  if (!accept(Tok::left_paren)) return {};
  ast::Name graph = expect_name("of the graph");
  expect(Tok::right_paren, "after the graph");
  return graph;
}

TypeName ExpressionParser::type(std::string_view where) {
  const Level level(*this);
  TypeName result;
  result.at = peek().at;
  if (const auto value = value_of(peek().kind)) {
    take();
    result.value = *value;
    if (*value == ValueType::node || *value == ValueType::edge) result.graph = graph_of_type();
    return result;
  }
  const auto kind = kind_of(peek().kind);
  if (!kind)
    fail_expected(
        fmt::format("a type {}: Int, Long, Float, Double, Bool, Node, Edge, a property, "
                    "a collection or a Map",
                    where));
  const std::string_view word = spelling(take().kind);
  result.kind = *kind;
  const std::size_t parts = *kind == TypeName::Kind::map ? 2
                            : *kind == TypeName::Kind::node_prop ||
                                    *kind == TypeName::Kind::edge_prop ||
                                    *kind == TypeName::Kind::collection
                                ? 1
                                : 0;
  if (parts > 0) expect(Tok::less, fmt::format("after {}", word));
  for (std::size_t i = 0; i < parts; ++i) {
    if (i > 0) expect(Tok::comma, "between a Map's key and value");
    if (*kind == TypeName::Kind::collection && at(Tok::identifier) && peek().text == "set") {
      TypeName& set = result.of.emplace_back();
      set.kind = TypeName::Kind::node_set;
      set.at = take().at;
      continue;
    }
    result.of.push_back(type(fmt::format("in {}<…>", word)));
  }
  if (parts > 0) expect(Tok::greater, fmt::format("after the types of {}", word));
  if (*kind != TypeName::Kind::graph && *kind != TypeName::Kind::map)
    result.graph = graph_of_type();
  return result;
}

}  // namespace Atoll::greenmarl
