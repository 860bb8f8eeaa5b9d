// Run-time functions of compiled programs, among them arithmetic for cases that are undefined in
// C++. Emitted code calls these functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/graph/breadth_first.hpp"
#include "atoll/graph/collection_sequence.hpp"
#include "atoll/graph/combine.hpp"
#include "atoll/graph/depth_first.hpp"
#include "atoll/graph/map.hpp"
#include "atoll/graph/neighbours.hpp"
#include "atoll/graph/nil.hpp"
#include "atoll/graph/node_order.hpp"
#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"
#include "atoll/graph/random.hpp"
#include "atoll/program/collection_types.hpp"

namespace Atoll::program {

/// Each throws Error (failed) with `where`, a position in the program.
[[noreturn]] void fail_division_by_zero(const char* where);
/// Converts INF and -INF of Long to those of Int; fails for other values.
[[nodiscard]] std::int32_t infinity_or_fail(const char* where, std::int64_t value);
[[noreturn]] void fail_nil(const char* where);
[[noreturn]] void fail_empty(const char* what, const char* where);
[[noreturn]] void fail_no_choice(const char* where);

/// Returns `id`; fails if it is NIL.
template <class Id>
[[nodiscard]] Id existing(Id id, const char* where) {
  if (id == graph::kNil<Id>) [[unlikely]]
    fail_nil(where);
  return id;
}

/// Returns the collection or map; fails if it is empty. `what` names the operation that needs an
/// element.
template <class Collection>
[[nodiscard]] Collection& not_empty(Collection& collection, const char* what, const char* where) {
  if (collection.size() == 0) [[unlikely]]
    fail_empty(what, where);
  return collection;
}

/// Calls action(arguments…) with the collection's lock held.
template <class Collection, class Action, class... Arguments>
decltype(auto) locked(const Collection& collection, Action&& action, Arguments... arguments) {
  const auto guard = collection.lock();
  return action(arguments...);
}

/// Assigns `from` to `to` while other threads may access both. Holds one lock at a time.
template <class Collection>
void take(Collection& to, const Collection& from) {
  Collection copy = locked(from, [&] { return from; });
  locked(to, [&] { to = std::move(copy); });
}

template <class Item>
[[nodiscard]] std::vector<Item> backwards(std::vector<Item> items) {
  std::reverse(items.begin(), items.end());
  return items;
}

/// Returns the function itself, so that emitted code can name a lambda.
template <class Function>
[[nodiscard]] Function as_function(Function function) {
  return function;
}

/// Returns a node of a graph with uniform probability; NIL if there is none.
template <class Node>
[[nodiscard]] Node any_node(graph::Random& random, std::size_t nodes) {
  if (nodes == 0) return graph::kNil<Node>;
  return static_cast<Node>(random.below(static_cast<std::int64_t>(nodes)));
}

/// Returns the target of one of a node's out-edges, with uniform probability; NIL if it has none.
template <class Edge, class Node, class Id>
[[nodiscard]] Node any_neighbour(graph::Random& random, const Edge* begin, const Node* node_idx,
                                 Id node) {
  const Edge edges = begin[node + 1] - begin[node];
  if (edges == 0) return graph::kNil<Node>;
  return node_idx[begin[node] + static_cast<Edge>(random.below(static_cast<std::int64_t>(edges)))];
}

/// Returns an integer in [0, limit) with uniform probability; fails if limit <= 0.
[[nodiscard]] inline std::int64_t below(graph::Random& random, std::int64_t limit,
                                        const char* where) {
  if (limit <= 0) [[unlikely]]
    fail_no_choice(where);
  return random.below(limit);
}

/// Divides, rounding towards zero as C++ does. Fails on division by zero; the one quotient that
/// overflows wraps around.
template <class Integer>
[[nodiscard]] Integer divide(Integer a, Integer b, const char* where) {
  if (b == 0) [[unlikely]]
    fail_division_by_zero(where);
  if (b == -1) {
    using Unsigned = std::make_unsigned_t<Integer>;
    return static_cast<Integer>(Unsigned{0} - static_cast<Unsigned>(a));
  }
  return a / b;
}

/// Returns the remainder, with the sign of `a`; fails on division by zero.
template <class Integer>
[[nodiscard]] Integer remainder(Integer a, Integer b, const char* where) {
  if (b == 0) [[unlikely]]
    fail_division_by_zero(where);
  return b == -1 ? Integer{0} : a % b;
}

/// Converts a Long to an Int; fails if the value doesn't fit.
[[nodiscard]] inline std::int32_t narrow(std::int64_t value, const char* where) {
  if (value != static_cast<std::int32_t>(value)) [[unlikely]]
    return infinity_or_fail(where, value);
  return static_cast<std::int32_t>(value);
}

/// Rounds `value` towards zero. A value out of range becomes the largest or lowest integer, and NaN
/// becomes 0.
template <class Integer, class Number>
[[nodiscard]] Integer nearest(Number value) {
  using Limits = std::numeric_limits<Integer>;
  if (value != value) return 0;
  if (value <= static_cast<Number>(Limits::min())) return Limits::min();
  if (value >= static_cast<Number>(Limits::max())) return Limits::max();
  return static_cast<Integer>(value);
}

}  // namespace Atoll::program
