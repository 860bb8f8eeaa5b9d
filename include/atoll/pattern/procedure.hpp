// A compiled procedure as others see it: its scalar arguments and its arrays. The Green-Marl
// compiler derives it [shoal §4]; from it layouts are chosen, whether the procedure then runs or
// not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/pattern/access_pattern.hpp"

namespace Atoll {

/// Green-Marl's Int, Long, Float, Double, Bool; a Node or Edge is an id of the graph's width.
enum class ValueType : std::uint8_t { int32, int64, float32, float64, boolean, node, edge };

/// "Int", "Long", …
[[nodiscard]] std::string_view to_string(ValueType type);

/// A scalar that the procedure takes, `--arg NAME=VALUE`, or that it gives.
struct Argument {
  std::string name;
  ValueType type = ValueType::float64;
  bool output = false;      ///< a result: it isn't given, but printed
  std::uint32_t graph = 0;  ///< of a Node or Edge: the position of its graph in Procedure::graphs
  friend bool operator==(const Argument&, const Argument&) = default;
};

/// An array of the graph or a property, and how the procedure uses it.
struct ArrayUse {
  std::string name;  ///< for the graph's own, as in [shoal Table 1]
  ValueType type = ValueType::float64;
  AccessPattern pattern;
  bool result = false;  ///< an output of the procedure: printed, and saved on request
  std::string group{};  ///< arrays of one group swap their memory and share one layout; "": none
  bool input = false;   ///< filled by --load, or an edge's by the graph, before the run; else 0,
                        ///< False or NIL
  bool edges = false;   ///< an element for each edge, not for each node
  bool needed = false;  ///< an input of which the procedure reads what it hasn't written
  std::uint32_t graph = 0;        ///< which of the graphs it is of
  std::uint32_t value_graph = 0;  ///< … its elements are of, if they are Nodes or Edges
  friend bool operator==(const ArrayUse&, const ArrayUse&) = default;
};

/// What a collection is; a map goes with them.
enum class CollectionKind : std::uint8_t { set, order, sequence, map };

/// "Node_Set", "Node_Order", "Node_Seq", "Map"
[[nodiscard]] std::string_view to_string(CollectionKind kind);

/// Where collections are: one alone, several in a Collection, or one for each node or edge.
enum class CollectionPlace : std::uint8_t { alone, listed, nodes, edges };

/// A collection that the procedure takes or gives, or several of one kind.
struct CollectionUse {
  std::string name;
  CollectionKind kind = CollectionKind::set;
  ValueType key = ValueType::node;    ///< a map's; the others hold nodes
  ValueType value = ValueType::node;  ///< a map's
  bool input = false;                 ///< filled by --load before the run, else empty
  bool result = false;                ///< an output: printed, and saved on request
  CollectionPlace place = CollectionPlace::alone;
  std::uint32_t graph = 0;        ///< which of the graphs its nodes are of, or a map's keys
  std::uint32_t value_graph = 0;  ///< … a map's values
  friend bool operator==(const CollectionUse&, const CollectionUse&) = default;
};

/// "Node_Set", "Map<Int, Node>", "Collection<Node_Seq>", "Node_Prop<Node_Set>"
[[nodiscard]] std::string type_name(const CollectionUse& use);

/// A procedure, its scalar arguments and its arrays as they are executed.
struct Procedure {
  std::string name;
  std::string source;  ///< the .gm file's name without its folder, for messages
  std::vector<Argument> arguments;
  /// The graph's own arrays that are used, then properties in the order of their declaration.
  std::vector<ArrayUse> arrays;
  std::vector<CollectionUse> collections{};
  std::optional<ValueType> returns{};    ///< the type of the value that it returns
  std::uint32_t returned_graph = 0;      ///< which of the graphs a returned Node or Edge is of
  std::vector<std::string> graphs{"G"};  ///< the names of those that it takes, in order
  friend bool operator==(const Procedure&, const Procedure&) = default;
};

}  // namespace Atoll
