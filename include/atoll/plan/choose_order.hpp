// Chooses an order of tasks by its estimated cost. Each order is estimated on the locations that
// the tasks access; orders that are cheap to compute are tried first.
#pragma once

#include <optional>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/order_graph.hpp"
#include "atoll/plan/reuse.hpp"

namespace Atoll {

/// Estimated cost of one run through all tasks on one core.
struct OrderCost {
  double line_misses = 0;  ///< of the core's share of the last-level cache
  double l2_misses = 0;    ///< of the core's second-level cache that hit in the last-level one
  double tlb_misses = 0;
  double l1_misses = 0;  ///< of the core's first-level cache that hit in the second-level one
  double seconds = 0;
  friend bool operator==(const OrderCost&, const OrderCost&) = default;
};

/// Returns the cost of tasks that read locations of `location_bytes` bytes at `place_of` (empty: as
/// numbered). For each location they stream 12 bytes, an index and a value. Misses overlap, so each
/// takes an eighth of the latency of the memory or cache that serves it. So does a page walk, which
/// mostly hits in caches.
[[nodiscard]] OrderCost order_cost(const TaskLocations& tasks, std::span<const std::uint32_t> order,
                                   std::uint32_t location_bytes, const Machine& machine,
                                   std::span<const std::uint32_t> place_of = {});

/// An order with its cost.
struct OrderCandidate {
  TaskOrder kind = TaskOrder::created;
  OrderCost cost;
};

/// Orders that were compared.
struct OrderCandidates {
  std::vector<OrderCandidate> tried;  ///< beginning with the order as created
  /// Set if no other order was tried: predicted seconds with one miss per line, as in the best
  /// possible order.
  std::optional<double> least_seconds;
};

/// Vertices of a graph in a new order, with its cost.
struct ChosenOrder {
  TaskOrder kind = TaskOrder::created;
  std::vector<std::uint32_t> order;  ///< order[k]: old number of the vertex at position k
  OrderCost before, after;
  OrderCandidates candidates;
};

/// Tasks, their locations and their graph. The vertices below `tasks.tasks()` are tasks. The
/// locations are the same vertices, or, if `locations_follow`, the vertices after the tasks.
struct OrderQuestion {
  const AffinityGraph& graph;
  const TaskLocations& tasks;
  bool locations_follow = false;
};

/// Tries `only`, or all orders. An order replaces the best one before it only if it is 3 % faster.
/// No order is tried if even a run with one miss per line isn't that much faster.
[[nodiscard]] ChosenOrder choose_order(const OrderQuestion& question, const Machine& machine,
                                       std::optional<TaskOrder> only = {});

/// Returns the inverse of a permutation: result[order[k]] == k.
[[nodiscard]] std::vector<std::uint32_t> places_of(std::span<const std::uint32_t> order);

}  // namespace Atoll
