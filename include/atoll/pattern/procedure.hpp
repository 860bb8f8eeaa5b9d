// The interface of a compiled procedure: its scalar arguments and its arrays. The Green-Marl
// compiler derives it [shoal §4]. Layouts are chosen from it, with or without running the
// procedure.
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

/// Returns "Int", "Long", …
[[nodiscard]] std::string_view to_string(ValueType type);

/// A scalar argument (`--arg NAME=VALUE`) or result of the procedure.
struct Argument {
  std::string name;
  ValueType type = ValueType::float64;
  bool output = false;      ///< true for a result, which is printed
  std::uint32_t graph = 0;  ///< for a Node or Edge, index of its graph in Procedure::graphs
  friend bool operator==(const Argument&, const Argument&) = default;
};

/// An array of the graph or a property, and the procedure's use of it.
struct ArrayUse {
  std::string name;  ///< for the graph's own arrays, as in [shoal Table 1]
  ValueType type = ValueType::float64;
  AccessPattern pattern;
  bool result = false;  ///< an output of the procedure: printed, and saved on request
  std::string group{};  ///< arrays of one group swap their memory and share a layout; "" means none
  bool input = false;   ///< set by --load or, for edges, by the graph; else 0, False or NIL
  bool edges = false;   ///< has an element for each edge instead of each node
  bool needed = false;  ///< an input that the procedure reads before writing it
  std::uint32_t graph = 0;        ///< index of the graph that it belongs to
  std::uint32_t value_graph = 0;  ///< index of the graph of its values, if they are Nodes or Edges
  friend bool operator==(const ArrayUse&, const ArrayUse&) = default;
};

/// Kinds of collections, and maps.
enum class CollectionKind : std::uint8_t { set, order, sequence, map };

/// Returns "Node_Set", "Node_Order", "Node_Seq" or "Map".
[[nodiscard]] std::string_view to_string(CollectionKind kind);

/// Container of a collection: none, a Collection, or a property of nodes or edges.
enum class CollectionPlace : std::uint8_t { alone, listed, nodes, edges };

/// A collection, or several of one kind, that is an argument or result of the procedure.
struct CollectionUse {
  std::string name;
  CollectionKind kind = CollectionKind::set;
  ValueType key = ValueType::node;    ///< of a map; all others contain nodes
  ValueType value = ValueType::node;  ///< of a map
  bool input = false;                 ///< filled by --load before the run, else empty
  bool result = false;                ///< an output: printed, and saved on request
  CollectionPlace place = CollectionPlace::alone;
  std::uint32_t graph = 0;        ///< index of the graph of its nodes, or of a map's keys
  std::uint32_t value_graph = 0;  ///< index of the graph of a map's values
  friend bool operator==(const CollectionUse&, const CollectionUse&) = default;
};

/// Returns text such as "Map<Int, Node>", "Collection<Node_Seq>" or "Node_Prop<Node_Set>".
[[nodiscard]] std::string type_name(const CollectionUse& use);

/// A procedure with its scalar arguments and its arrays, as executed.
struct Procedure {
  std::string name;
  std::string source;  ///< the .gm file's name without its folder, for messages
  std::vector<Argument> arguments;
  /// The graph's own arrays that are used, then properties in the order of their declaration.
  std::vector<ArrayUse> arrays;
  std::vector<CollectionUse> collections{};
  std::optional<ValueType> returns{};    ///< type of its return value, if any
  std::uint32_t returned_graph = 0;      ///< index of the graph of a returned Node or Edge
  std::vector<std::string> graphs{"G"};  ///< names of its graph arguments, in order
  friend bool operator==(const Procedure&, const Procedure&) = default;
};

}  // namespace Atoll
