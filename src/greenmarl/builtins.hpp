// The language's built-in functions. A row of the table says everything about one: its names, what
// it is called on, what it takes and gives, and what it does. Types, races, passes, patterns and
// the emitter follow from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "greenmarl/type.hpp"

namespace Atoll::greenmarl {

enum class Builtin : std::uint8_t {
  // of a graph
  node_count,
  edge_count,
  any_node,  ///< PickRandom
  // of a node
  out_degree,
  in_degree,
  has_edge_to,
  has_edge_from,
  any_neighbour,  ///< PickRandomNbr
  // of an edge
  from_node,
  to_node,
  // of collections
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
  // of maps
  get,      ///< map[key]
  set_all,  ///< of deferred assignments: takes all entries of another map
  has_key,
  has_min_value,
  has_max_value,
  min_key,
  max_key,
  min_value,
  max_value,
  // of nothing
  uniform,
  rand,
  log,
  exp,
  pow,
};

/// What a built-in is called on.
enum class Receiver : std::uint8_t { nothing, graph, node, edge, set, order, sequence, many, map };

/// What it takes, or gives. `item` is a node of the collection, or a collection of a collection of
/// collections; `same` a collection as the receiver.
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
  std::string_view names;  ///< separated by blanks; the first is for messages
  Receiver receiver;
  Slot result = Slot::nothing;
  Slot first = Slot::nothing;
  Slot second = Slot::nothing;
  bool mutates = false;    ///< it changes its receiver
  bool draws = false;      ///< it draws a random number
  bool may_fail = false;   ///< it stops the program for some operands
  bool out_begin = false;  ///< it reads where out-edges start
  bool in_begin = false;   ///< it reads where in-edges start
  bool out_ends = false;   ///< it reads the ends of out-edges
};

[[nodiscard]] std::span<const BuiltinRow> builtin_table();
/// The row of a name, or nothing.
[[nodiscard]] const BuiltinRow* find_builtin(Receiver receiver, std::string_view name);
/// The row of a built-in of this receiver.
[[nodiscard]] const BuiltinRow& row_of(Builtin builtin, Receiver receiver);
/// All names of the built-ins of a receiver.
[[nodiscard]] std::vector<std::string_view> builtin_names(Receiver receiver);
/// "NumNodes(), NumEdges()": the first name of each.
[[nodiscard]] std::string builtin_list(Receiver receiver);
/// True if some receiver has a built-in of this name.
[[nodiscard]] bool is_builtin_name(std::string_view name);
/// What a value of this type is as a receiver.
[[nodiscard]] Receiver receiver_of(const Type& type);
/// "a Node_Set"
[[nodiscard]] std::string_view to_string(Receiver receiver);

}  // namespace Atoll::greenmarl
