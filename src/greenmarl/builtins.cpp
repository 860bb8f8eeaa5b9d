#include "greenmarl/builtins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "greenmarl/source.hpp"

namespace Atoll::greenmarl {
namespace {

using B = Builtin;
using R = Receiver;
using S = Slot;

constexpr auto kTable = std::to_array<BuiltinRow>({
    {B::node_count, "NumNodes", R::graph, S::int64},
    {B::edge_count, "NumEdges", R::graph, S::int64},
    {.builtin = B::any_node,
     .names = "PickRandom",
     .receiver = R::graph,
     .result = S::node,
     .draws = true},

    {.builtin = B::out_degree,
     .names = "OutDegree Degree NumOutNbrs NumNbrs",
     .receiver = R::node,
     .result = S::int64,
     .out_begin = true},
    {.builtin = B::in_degree,
     .names = "InDegree NumInNbrs",
     .receiver = R::node,
     .result = S::int64,
     .in_begin = true},
    {.builtin = B::has_edge_to,
     .names = "HasEdgeTo",
     .receiver = R::node,
     .result = S::boolean,
     .first = S::node,
     .out_begin = true,
     .out_ends = true},
    {.builtin = B::has_edge_from,
     .names = "HasEdgeFrom IsNbrFrom",
     .receiver = R::node,
     .result = S::boolean,
     .first = S::node,
     .out_begin = true,
     .out_ends = true},
    {.builtin = B::any_neighbour,
     .names = "PickRandomNbr",
     .receiver = R::node,
     .result = S::node,
     .draws = true,
     .out_begin = true,
     .out_ends = true},

    {.builtin = B::from_node,
     .names = "FromNode",
     .receiver = R::edge,
     .result = S::node,
     .out_begin = true},
    {.builtin = B::to_node,
     .names = "ToNode",
     .receiver = R::edge,
     .result = S::node,
     .out_ends = true},

    {.builtin = B::add, .names = "Add", .receiver = R::set, .first = S::item, .mutates = true},
    {.builtin = B::remove,
     .names = "Remove",
     .receiver = R::set,
     .first = S::item,
     .mutates = true},
    {.builtin = B::has, .names = "Has", .receiver = R::set, .result = S::boolean, .first = S::item},
    {.builtin = B::unite, .names = "Union", .receiver = R::set, .first = S::same, .mutates = true},
    {.builtin = B::intersect,
     .names = "Intersect",
     .receiver = R::set,
     .first = S::same,
     .mutates = true},
    {.builtin = B::subtract,
     .names = "Complement",
     .receiver = R::set,
     .first = S::same,
     .mutates = true},
    {.builtin = B::is_subset_of,
     .names = "IsSubsetOf",
     .receiver = R::set,
     .result = S::boolean,
     .first = S::same},
    {B::size, "Size", R::set, S::int64},
    {.builtin = B::clear, .names = "Clear", .receiver = R::set, .mutates = true},

    {.builtin = B::push_back,
     .names = "PushBack Push",
     .receiver = R::order,
     .first = S::item,
     .mutates = true},
    {.builtin = B::push_front,
     .names = "PushFront",
     .receiver = R::order,
     .first = S::item,
     .mutates = true},
    {.builtin = B::pop_back,
     .names = "PopBack",
     .receiver = R::order,
     .result = S::item,
     .mutates = true,
     .may_fail = true},
    {.builtin = B::pop_front,
     .names = "PopFront Pop",
     .receiver = R::order,
     .result = S::item,
     .mutates = true,
     .may_fail = true},
    {.builtin = B::has,
     .names = "Has",
     .receiver = R::order,
     .result = S::boolean,
     .first = S::item},
    {B::size, "Size", R::order, S::int64},
    {.builtin = B::clear, .names = "Clear", .receiver = R::order, .mutates = true},

    {.builtin = B::push_back,
     .names = "PushBack Push",
     .receiver = R::sequence,
     .first = S::item,
     .mutates = true},
    {.builtin = B::push_front,
     .names = "PushFront",
     .receiver = R::sequence,
     .first = S::item,
     .mutates = true},
    {.builtin = B::pop_back,
     .names = "PopBack",
     .receiver = R::sequence,
     .result = S::item,
     .mutates = true,
     .may_fail = true},
    {.builtin = B::pop_front,
     .names = "PopFront Pop",
     .receiver = R::sequence,
     .result = S::item,
     .mutates = true,
     .may_fail = true},
    {B::size, "Size", R::sequence, S::int64},
    {.builtin = B::clear, .names = "Clear", .receiver = R::sequence, .mutates = true},

    {.builtin = B::push_back,
     .names = "PushBack Push",
     .receiver = R::many,
     .first = S::item,
     .mutates = true},
    {.builtin = B::pop_back,
     .names = "PopBack",
     .receiver = R::many,
     .result = S::item,
     .mutates = true,
     .may_fail = true},
    {B::size, "Size", R::many, S::int64},
    {.builtin = B::clear, .names = "Clear", .receiver = R::many, .mutates = true},

    {B::get, "[key]", R::map, S::value, S::key},
    {.builtin = B::set_all, .names = "", .receiver = R::map, .first = S::same, .mutates = true},
    {B::size, "Size", R::map, S::int64},
    {.builtin = B::clear, .names = "Clear", .receiver = R::map, .mutates = true},
    {B::has_key, "HasKey", R::map, S::boolean, S::key},
    {B::has_min_value, "HasMinValue", R::map, S::boolean, S::key},
    {B::has_max_value, "HasMaxValue", R::map, S::boolean, S::key},
    {.builtin = B::min_key,
     .names = "GetMinKey",
     .receiver = R::map,
     .result = S::key,
     .may_fail = true},
    {.builtin = B::max_key,
     .names = "GetMaxKey",
     .receiver = R::map,
     .result = S::key,
     .may_fail = true},
    {.builtin = B::min_value,
     .names = "GetMinValue",
     .receiver = R::map,
     .result = S::value,
     .may_fail = true},
    {.builtin = B::max_value,
     .names = "GetMaxValue",
     .receiver = R::map,
     .result = S::value,
     .may_fail = true},
    {.builtin = B::remove, .names = "Remove", .receiver = R::map, .first = S::key, .mutates = true},

    {.builtin = B::uniform,
     .names = "Uniform",
     .receiver = R::nothing,
     .result = S::real,
     .draws = true},
    {.builtin = B::rand,
     .names = "Rand",
     .receiver = R::nothing,
     .result = S::int64,
     .first = S::int64,
     .draws = true,
     .may_fail = true},
    {B::log, "Log", R::nothing, S::real, S::real},
    {B::exp, "Exp", R::nothing, S::real, S::real},
    {B::pow, "Pow", R::nothing, S::real, S::real, S::real},
});

std::vector<std::string_view> split(std::string_view words) {
  std::vector<std::string_view> list;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    list.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return list;
}

/// True if `name` is one of the words.
bool is_one_of(std::string_view name, std::string_view words) {
  const std::vector<std::string_view> list = split(words);
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

std::span<const BuiltinRow> builtin_table() {
  return kTable;
}

const BuiltinRow* find_builtin(Receiver receiver, std::string_view name) {
  const auto found = std::ranges::find_if(kTable, [&](const BuiltinRow& row) {
    return row.receiver == receiver && is_one_of(name, row.names);
  });
  return found == kTable.end() ? nullptr : &*found;
}

const BuiltinRow& row_of(Builtin builtin, Receiver receiver) {
  for (const BuiltinRow& row : kTable)
    if (row.builtin == builtin && row.receiver == receiver) return row;
  throw InternalError("a built-in without a row");
}

std::vector<std::string_view> builtin_names(Receiver receiver) {
  std::vector<std::string_view> names;
  for (const BuiltinRow& row : kTable)
    if (row.receiver == receiver && row.builtin != B::get)
      for (const std::string_view name : split(row.names)) names.push_back(name);
  return names;
}

std::string builtin_list(Receiver receiver) {
  std::string list;
  for (const BuiltinRow& row : kTable) {
    if (row.receiver != receiver || row.builtin == B::get || row.names.empty()) continue;
    list += fmt::format("{}{}()", list.empty() ? "" : ", ", split(row.names)[0]);
  }
  return list;
}

bool is_builtin_name(std::string_view name) {
  return std::ranges::any_of(kTable,
                             [&](const BuiltinRow& row) { return is_one_of(name, row.names); }) ||
         name == "ToEdge";
}

Receiver receiver_of(const Type& type) {
  switch (type.shape) {
    case Shape::graph:
      return R::graph;
    case Shape::map:
      return R::map;
    case Shape::collection:
      return type.is(CollectionShape::set)        ? R::set
             : type.is(CollectionShape::order)    ? R::order
             : type.is(CollectionShape::sequence) ? R::sequence
                                                  : R::many;
    case Shape::value:
    case Shape::property:
      break;
  }
  return type.is(ValueType::node) ? R::node : type.is(ValueType::edge) ? R::edge : R::nothing;
}

std::string_view to_string(Receiver receiver) {
  switch (receiver) {
    case R::nothing:
      return "a number";
    case R::graph:
      return "a Graph";
    case R::node:
      return "a Node";
    case R::edge:
      return "an Edge";
    case R::set:
      return "a Node_Set";
    case R::order:
      return "a Node_Order";
    case R::sequence:
      return "a Node_Seq";
    case R::many:
      return "a Collection";
    case R::map:
      return "a Map";
  }
  return "?";
}

}  // namespace Atoll::greenmarl
