// Which order is worth following: each is tried on the locations that it moves, cheap ones first.
#pragma once

#include <optional>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/order_graph.hpp"
#include "atoll/plan/reuse.hpp"

namespace Atoll {

/// What one run through all tasks is estimated to cost on one core.
struct OrderCost {
  double line_misses = 0;  ///< of the core's share of the last-level cache
  double l2_misses = 0;    ///< of the core's second-level cache that the last-level one answers
  double tlb_misses = 0;
  double l1_misses = 0;  ///< of the core's first-level cache that the second-level one answers
  double seconds = 0;
  friend bool operator==(const OrderCost&, const OrderCost&) = default;
};

/// The cost of tasks that read locations of so many bytes at `place_of` (empty: as numbered), and
/// stream 12 bytes, an index and a value, for each. Misses overlap, so each takes an eighth of the
/// latency of who answers; so does a walk of the page table, which mostly hits caches.
[[nodiscard]] OrderCost order_cost(const TaskLocations& tasks, std::span<const std::uint32_t> order,
                                   std::uint32_t location_bytes, const Machine& machine,
                                   std::span<const std::uint32_t> place_of = {});

/// An order that was priced.
struct OrderCandidate {
  TaskOrder kind = TaskOrder::created;
  OrderCost cost;
};

/// Orders that were compared.
struct OrderCandidates {
  std::vector<OrderCandidate> tried;  ///< the order as created comes first
  /// Set if no other order was tried: predicted seconds with each line missed once, as in the best
  /// order that could exist.
  std::optional<double> least_seconds;
};

/// Vertices of a graph in a new order, and what it is worth.
struct ChosenOrder {
  TaskOrder kind = TaskOrder::created;
  std::vector<std::uint32_t> order;  ///< order[k]: the old number of the vertex that is k-th now
  OrderCost before, after;
  OrderCandidates candidates;
};

/// What a task reads as the tasks' graph says. The vertices below `tasks.tasks()` are tasks; the
/// locations are the same vertices, or, if `locations_follow`, the vertices behind the tasks.
struct OrderQuestion {
  const AffinityGraph& graph;
  const TaskLocations& tasks;
  bool locations_follow = false;
};

/// Tries `only`, or all orders; one has to beat those before it by 3 %, or they stay. None is tried
/// if even a run that misses each line once wouldn't.
[[nodiscard]] ChosenOrder choose_order(const OrderQuestion& question, const Machine& machine,
                                       std::optional<TaskOrder> only = {});

/// order[k] = i as a list of k by i.
[[nodiscard]] std::vector<std::uint32_t> places_of(std::span<const std::uint32_t> order);

}  // namespace Atoll
