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
  bool output = false;  ///< a result: it isn't given, but printed
  friend bool operator==(const Argument&, const Argument&) = default;
};

/// An array of the graph or a property, and how the procedure uses it.
struct ArrayUse {
  std::string name;  ///< for the graph's own, as in [shoal Table 1]
  ValueType type = ValueType::float64;
  AccessPattern pattern;
  bool result = false;  ///< an output of the procedure: printed, and saved on request
  std::string group{};  ///< arrays of one group swap their memory and share one layout; "": none
  bool input = false;   ///< filled by --load before the run, else 0, False or NIL
  bool edges = false;   ///< an element for each edge, not for each node
  friend bool operator==(const ArrayUse&, const ArrayUse&) = default;
};

/// What a collection is; a map goes with them.
enum class CollectionKind : std::uint8_t { set, order, sequence, map };

/// "Node_Set", "Node_Order", "Node_Seq", "Map"
[[nodiscard]] std::string_view to_string(CollectionKind kind);

/// A collection that the procedure takes or gives.
struct CollectionUse {
  std::string name;
  CollectionKind kind = CollectionKind::set;
  ValueType key = ValueType::node;    ///< a map's; the others hold nodes
  ValueType value = ValueType::node;  ///< a map's
  bool input = false;                 ///< filled by --load before the run, else empty
  bool result = false;                ///< an output: printed, and saved on request
  friend bool operator==(const CollectionUse&, const CollectionUse&) = default;
};

/// A procedure, its scalar arguments and its arrays as they are executed.
struct Procedure {
  std::string name;
  std::string source;  ///< the .gm file's name without its folder, for messages
  std::vector<Argument> arguments;
  /// The graph's own arrays that are used, then properties in the order of their declaration.
  std::vector<ArrayUse> arrays;
  std::vector<CollectionUse> collections{};
  std::optional<ValueType> returns{};  ///< the type of the value that it returns
  bool graph = true;                   ///< it takes one
  friend bool operator==(const Procedure&, const Procedure&) = default;
};

}  // namespace Atoll
