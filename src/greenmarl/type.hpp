// Structured types, with the graph of a node, the elements of a property, and the members of a
// collection.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/pattern/procedure.hpp"
#include "greenmarl/symbol.hpp"

namespace Atoll::greenmarl {

enum class Shape : std::uint8_t {
  value,       ///< a number, a Bool, a Node or an Edge
  property,    ///< of[0] at each node or edge of a graph
  collection,  ///< nodes of a graph, or collections of them
  map,         ///< maps of[0] to of[1]
  graph,
};

enum class CollectionShape : std::uint8_t {
  set,       ///< Node_Set
  order,     ///< Node_Order
  sequence,  ///< Node_Seq
  many,      ///< Collection<of[0]>
};

struct Type {
  Shape shape = Shape::value;
  ValueType value = ValueType::float64;  ///< if the shape is `value`
  CollectionShape collection = CollectionShape::set;
  bool at_edges = false;  ///< for a property: true if it is at edges, false if at nodes
  ir::SymbolId graph{};   ///< of a Node, Edge, property or collection
  std::vector<Type> of{};

  Type() = default;
  Type(ValueType of_value) : value(of_value) {}  // implicit: a ValueType is a type
  friend bool operator==(const Type&, const Type&) = default;

  [[nodiscard]] bool is(ValueType of_value) const {
    return shape == Shape::value && value == of_value;
  }
  /// True for a Node or an Edge.
  [[nodiscard]] bool is_element() const { return is(ValueType::node) || is(ValueType::edge); }
  [[nodiscard]] bool is(CollectionShape kind) const {
    return shape == Shape::collection && collection == kind;
  }
};

/// "Int", "Node_Prop<Double>", "Node_Set", "Map<Node, Int>"
[[nodiscard]] std::string to_string(const Type& type);
/// "an Int"
[[nodiscard]] std::string with_article(const Type& type);
/// True if the types differ only in their graphs.
[[nodiscard]] bool differ_in_graph(const Type& a, const Type& b);
[[nodiscard]] bool is_integer(const Type& type);  ///< true for Int or Long
[[nodiscard]] bool is_real(const Type& type);     ///< true for Float or Double
[[nodiscard]] bool is_numeric(const Type& type);

}  // namespace Atoll::greenmarl
