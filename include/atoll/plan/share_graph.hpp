// Builds affinity graphs from tasks' locations, by both of the paper's algorithms, and the
// bipartite graph of tasks and locations, which has no edges between tasks [affinity §2.2].
#pragma once

#include <cstdint>
#include <span>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Selection and weights of locations.
struct ShareOptions {
  /// A location that more than this fraction of all tasks use doesn't count: it would connect all
  /// tasks with each other and carry no information for a partitioner. From 0 (no edge) to 1 (all
  /// edges).
  double dense_ratio = 0.9;
  /// A location that more tasks than this use doesn't count; 0: no such limit.
  std::uint32_t max_sharers = 0;
  /// Weight that each location adds to an edge, such as the words of a range, or more for written
  /// data. Locations of weight 0 don't count. Empty: 1 each.
  std::span<const std::uint32_t> location_weights = {};
};

/// Locations that don't count, with their number of (task, location) pairs.
struct DroppedLocations {
  std::uint64_t locations = 0;
  std::uint64_t pairs = 0;
  friend bool operator==(const DroppedLocations&, const DroppedLocations&) = default;
};

/// Statistics of a graph's input, and of the locations that were left out.
struct ShareReport {
  std::uint64_t shared_locations = 0;  ///< used by at least two tasks, including those dropped
  DroppedLocations dense;              ///< by dense_ratio
  DroppedLocations many_sharers;       ///< by max_sharers only
  std::uint64_t kept_pairs = 0;        ///< (task, shared location that counts) pairs
  /// Pairs of tasks, counted once for each shared location that counts: an upper bound of the edges
  /// of share_graph.
  std::uint64_t sharing_pairs = 0;
  friend bool operator==(const ShareReport&, const ShareReport&) = default;
};

/// Returns the affinity graph of the tasks. An edge's weight is the sum of the weights of the
/// distinct locations that both tasks use (at most 2^32 - 1). Figure 4: proceeds from locations to
/// the tasks that share them. Time: the sum of squares of the locations' sharers. Memory: 16 bytes
/// per edge, and at most 24 bytes per (task, location) pair, those of `tasks` included, if there
/// are no more locations than pairs, and at least two pairs per task. Throws Error (input) if the
/// options are invalid.
[[nodiscard]] AffinityGraph share_graph(const TaskLocations& tasks,
                                        const ShareOptions& options = {},
                                        ShareReport* report = nullptr);

/// Returns the same graph. Figure 3: compares every two tasks, so its time grows with the square of
/// their number. It is for tests and for few tasks.
[[nodiscard]] AffinityGraph share_graph_by_pairs(const TaskLocations& tasks,
                                                 const ShareOptions& options = {},
                                                 ShareReport* report = nullptr);

/// Returns the bipartite form. The vertices are the tasks, followed by the shared locations that
/// count, in their order, with vertex weights 1 and 0. An edge connects a task with a location it
/// uses, with the location's weight. It takes 16 bytes per pair, however many tasks share a
/// location.
[[nodiscard]] AffinityGraph bipartite_graph(const TaskLocations& tasks,
                                            const ShareOptions& options = {},
                                            ShareReport* report = nullptr);

}  // namespace Atoll
