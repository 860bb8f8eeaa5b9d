// Computes a schedule from the locations that tasks share [affinity §2, §3.1]. Solvers that know
// their tasks' locations call it without recording anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/plan/partition_graph.hpp"
#include "atoll/plan/schedule.hpp"
#include "atoll/plan/share_graph.hpp"

namespace Atoll {

/// Form of the graph that is built from the tasks' locations.
enum class GraphForm {
  automatic,  ///< bipartite if cliques had several times as many edges
  cliques,    ///< edges between tasks that share
  bipartite,  ///< edges between tasks and locations
};

/// Options of schedule_tasks().
struct ScheduleOptions {
  std::string loop = "tasks";            ///< the loop's name in the schedule
  std::uint64_t iterations = 0;          ///< of the loop; 0: one for each task
  std::uint64_t chunk = 1;               ///< iterations of a task
  std::uint64_t fingerprint = 0;         ///< of the loop's structure; 0: none
  std::vector<std::uint32_t> work = {};  ///< of each task; empty: all equal
  ShareOptions share = {};
  PartitionOptions partition = {};
  GraphForm form = GraphForm::automatic;
  /// Each thread's tasks keep their order. This suits tasks with so much computation that an order
  /// by their data gains nothing, while branch prediction gains from similar tasks in sequence.
  bool keep_order = false;
};

/// Effect of a schedule. If locations are vertices, each counts for the part of most of its tasks.
struct ScheduleReport {
  ShareReport share;                  ///< set only by schedule_tasks
  bool bipartite = false;             ///< true if locations are vertices of the graph
  std::uint64_t weight = 0;           ///< of all edges
  std::vector<WeightBetween> before;  ///< with equal parts in the order of the tasks
  std::vector<WeightBetween> after;   ///< with the schedule
  /// The largest part's work over an equal share, less 1.
  double imbalance_before = 0;
  double imbalance_after = 0;
};

/// Divides the tasks among the threads along the machine's places, and orders each thread's tasks.
/// The order is the original or breadth-first over shared locations, whichever keeps tasks that
/// share more closer together. (A small task doesn't directly follow the one it shares most with,
/// since it would wait for that one's writes: some other tasks separate them.) Deterministic.
/// Throws Error (input) for options that don't fit the tasks, and for threads on places that the
/// machine doesn't have.
[[nodiscard]] Schedule schedule_tasks(const TaskLocations& tasks, const Machine& machine,
                                      const ThreadPlaces& threads,
                                      const ScheduleOptions& options = {},
                                      ScheduleReport* report = nullptr);

/// Schedules a graph with a vertex for each task, weighted by its work.
[[nodiscard]] Schedule schedule_graph(const AffinityGraph& graph, const Machine& machine,
                                      const ThreadPlaces& threads,
                                      const ScheduleOptions& options = {},
                                      ScheduleReport* report = nullptr);

}  // namespace Atoll
