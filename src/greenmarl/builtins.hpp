// The language's built-in functions. Each row of the table completely describes one: its names,
// receiver, parameters, result and effects. Type checks, race checks, passes, access patterns and
// the emitter are driven by the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "greenmarl/type.hpp"

namespace Atoll::greenmarl {

enum class Builtin : std::uint8_t {
  // methods of a graph
  node_count,
  edge_count,
  any_node,  ///< PickRandom
  // methods of a node
  out_degree,
  in_degree,
  has_edge_to,
  has_edge_from,
  any_neighbour,  ///< PickRandomNbr
  // methods of an edge
  from_node,
  to_node,
  // methods of collections
  add,
  remove,
  has,
  unite,
  intersect,
  subtract,
  is_subset_of,
  size,
  clear,
  push_back,
  push_front,
  pop_back,
  pop_front,
  // methods of maps
  get,      ///< map[key]
  set_all,  ///< for deferred assignments: copies all entries of another map
  has_key,
  has_min_value,
  has_max_value,
  min_key,
  max_key,
  min_value,
  max_value,
  // functions without a receiver
  uniform,
  rand,
  log,
  exp,
  pow,
};

/// The kind of object that a built-in is called on.
enum class Receiver : std::uint8_t { nothing, graph, node, edge, set, order, sequence, many, map };

/// The type of a parameter or result. `item` is an element of the receiver: a node, or a collection
/// if the receiver is a Collection. `same` is the receiver's own collection type.
enum class Slot : std::uint8_t {
  nothing,
  int64,
  boolean,
  real,
  node,
  edge,
  item,
  same,
  key,
  value
};

struct BuiltinRow {
  Builtin builtin;
  std::string_view names;  ///< separated by blanks; messages use the first
  Receiver receiver;
  Slot result = Slot::nothing;
  Slot first = Slot::nothing;
  Slot second = Slot::nothing;
  bool mutates = false;    ///< changes its receiver
  bool draws = false;      ///< draws a random number
  bool may_fail = false;   ///< stops the program for some operands
  bool out_begin = false;  ///< reads the offsets of out-edges
  bool in_begin = false;   ///< reads the offsets of in-edges
  bool out_ends = false;   ///< reads the targets of out-edges
};

[[nodiscard]] std::span<const BuiltinRow> builtin_table();
/// Returns the built-in with this name, or null.
[[nodiscard]] const BuiltinRow* find_builtin(Receiver receiver, std::string_view name);
/// Returns the row of a built-in of this receiver.
[[nodiscard]] const BuiltinRow& row_of(Builtin builtin, Receiver receiver);
/// Returns all names of the receiver's built-ins.
[[nodiscard]] std::vector<std::string_view> builtin_names(Receiver receiver);
/// Returns "NumNodes(), NumEdges()": the first name of each built-in.
[[nodiscard]] std::string builtin_list(Receiver receiver);
/// True if any receiver has a built-in with this name.
[[nodiscard]] bool is_builtin_name(std::string_view name);
/// The receiver kind of a value of this type.
[[nodiscard]] Receiver receiver_of(const Type& type);
/// "a Node_Set"
[[nodiscard]] std::string_view to_string(Receiver receiver);

}  // namespace Atoll::greenmarl
