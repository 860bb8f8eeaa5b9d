// Arithmetic of compiled programs for cases that are undefined in C++. Emitted code calls these
// functions.
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

namespace Atoll::program {

/// These throw Error (failed) that names `where` in the program.
[[noreturn]] void fail_division_by_zero(const char* where);
/// Returns INF and -INF of the narrower type for those of the wider; fails for other values.
[[nodiscard]] std::int32_t infinity_or_fail(const char* where, std::int64_t value);
[[noreturn]] void fail_nil(const char* where);
[[noreturn]] void fail_empty(const char* what, const char* where);
[[noreturn]] void fail_no_choice(const char* where);

/// Stops the program if the node or edge is NIL.
template <class Id>
[[nodiscard]] Id existing(Id id, const char* where) {
  if (id == graph::kNil<Id>) [[unlikely]]
    fail_nil(where);
  return id;
}

/// Stops the program if the collection or map is empty: `what` needs something in it.
template <class Collection>
[[nodiscard]] Collection& not_empty(Collection& collection, const char* what, const char* where) {
  if (collection.size() == 0) [[unlikely]]
    fail_empty(what, where);
  return collection;
}

/// Calls action(arguments…) while no other thread reaches the collection.
template <class Collection, class Action, class... Arguments>
decltype(auto) locked(const Collection& collection, Action&& action, Arguments... arguments) {
  const auto guard = collection.lock();
  return action(arguments...);
}

/// to = from, while other threads reach both. Their locks are not held at the same time.
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

/// Gives a name to a function.
template <class Function>
[[nodiscard]] Function as_function(Function function) {
  return function;
}

/// A node of a graph, all alike; NIL if there is none.
template <class Node>
[[nodiscard]] Node any_node(graph::Random& random, std::size_t nodes) {
  if (nodes == 0) return graph::kNil<Node>;
  return static_cast<Node>(random.below(static_cast<std::int64_t>(nodes)));
}

/// The end of one of a node's out-edges, all alike; NIL if it has none.
template <class Edge, class Node, class Id>
[[nodiscard]] Node any_neighbour(graph::Random& random, const Edge* begin, const Node* node_idx,
                                 Id node) {
  const Edge edges = begin[node + 1] - begin[node];
  if (edges == 0) return graph::kNil<Node>;
  return node_idx[begin[node] + static_cast<Edge>(random.below(static_cast<std::int64_t>(edges)))];
}

/// A number of 0 … limit - 1, all alike.
[[nodiscard]] inline std::int64_t below(graph::Random& random, std::int64_t limit,
                                        const char* where) {
  if (limit <= 0) [[unlikely]]
    fail_no_choice(where);
  return random.below(limit);
}

/// Divides towards zero, as C++ does. Division by zero fails; the one quotient beyond the type
/// wraps round.
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

/// The remainder, with the sign of `a`.
template <class Integer>
[[nodiscard]] Integer remainder(Integer a, Integer b, const char* where) {
  if (b == 0) [[unlikely]]
    fail_division_by_zero(where);
  return b == -1 ? Integer{0} : a % b;
}

/// Converts a Long to an Int; fails if it doesn't fit.
[[nodiscard]] inline std::int32_t narrow(std::int64_t value, const char* where) {
  if (value != static_cast<std::int32_t>(value)) [[unlikely]]
    return infinity_or_fail(where, value);
  return static_cast<std::int32_t>(value);
}

/// The integer nearest to `value` on the way to zero. A value that is too large becomes the largest
/// (or lowest) one, and NaN becomes 0.
template <class Integer, class Number>
[[nodiscard]] Integer nearest(Number value) {
  using Limits = std::numeric_limits<Integer>;
  if (value != value) return 0;
  if (value <= static_cast<Number>(Limits::min())) return Limits::min();
  if (value >= static_cast<Number>(Limits::max())) return Limits::max();
  return static_cast<Integer>(value);
}

}  // namespace Atoll::program
