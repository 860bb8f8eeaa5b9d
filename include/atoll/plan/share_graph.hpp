// From what tasks use to what they share: affinity graphs, by both of the paper's algorithms, and
// the graph of tasks and locations that needs no edge between tasks [affinity §2.2].
#pragma once

#include <cstdint>
#include <span>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Which locations count, and how much.
struct ShareOptions {
  /// A location that more than this share of all tasks use doesn't count: it would join all with
  /// all, and tell a partitioner nothing. From 0 (no edge) to 1 (all edges).
  double dense_ratio = 0.9;
  /// A location that more tasks than this use doesn't count; 0: no such limit.
  std::uint32_t max_sharers = 0;
  /// How much each location adds to an edge: the words of a range, more for what is written. Those
  /// of weight 0 don't count. Empty: 1 each.
  std::span<const std::uint32_t> location_weights = {};
};

/// Locations that don't count, and how many pairs of a task and such a location there are.
struct DroppedLocations {
  std::uint64_t locations = 0;
  std::uint64_t pairs = 0;
  friend bool operator==(const DroppedLocations&, const DroppedLocations&) = default;
};

/// What a graph was made of, and what was left out.
struct ShareReport {
  std::uint64_t shared_locations = 0;  ///< that at least two tasks use, with those dropped
  DroppedLocations dense;              ///< by dense_ratio
  DroppedLocations many_sharers;       ///< by max_sharers alone
  std::uint64_t kept_pairs = 0;        ///< of a task and a shared location that counts
  /// Pairs of tasks, counted once for each location they share that counts: at least as many as
  /// share_graph makes edges.
  std::uint64_t sharing_pairs = 0;
  friend bool operator==(const ShareReport&, const ShareReport&) = default;
};

/// The affinity graph of the tasks: an edge's weight is how many distinct locations both use, each
/// by its weight (at most 2^32 - 1 together). Figure 4: goes from locations to the tasks that share
/// them. Time: the sum of squares of the locations' sharers. Memory: 16 bytes an edge, and at most
/// 24 bytes a pair of task and location, those of `tasks` included, as long as there are no more
/// locations than pairs, and two pairs a task. Throws Error (input) for options that can't be.
[[nodiscard]] AffinityGraph share_graph(const TaskLocations& tasks,
                                        const ShareOptions& options = {},
                                        ShareReport* report = nullptr);

/// The same graph. Figure 3: compares every two tasks, so its time grows with their square. For
/// tests, and for few tasks.
[[nodiscard]] AffinityGraph share_graph_by_pairs(const TaskLocations& tasks,
                                                 const ShareOptions& options = {},
                                                 ShareReport* report = nullptr);

/// The bipartite form: vertices are the tasks, then the shared locations that count, in their
/// order, with vertex weights 1 and 0. An edge joins a task with a location it uses, at the
/// location's weight. It takes 16 bytes a pair, however many tasks share a location.
[[nodiscard]] AffinityGraph bipartite_graph(const TaskLocations& tasks,
                                            const ShareOptions& options = {},
                                            ShareReport* report = nullptr);

}  // namespace Atoll
