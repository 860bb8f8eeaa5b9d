// From what tasks share to who runs them and in which order [affinity §2, §3.1]: solvers that know
// their tasks' locations call it without recording anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/plan/partition_graph.hpp"
#include "atoll/plan/schedule.hpp"
#include "atoll/plan/share_graph.hpp"

namespace Atoll {

/// What graph the tasks' locations become.
enum class GraphForm {
  automatic,  ///< edges between tasks, unless they were several times as many as the pairs
  cliques,    ///< edges between tasks that share
  bipartite,  ///< edges between tasks and locations
};

/// How a loop's tasks are scheduled.
struct ScheduleOptions {
  std::string loop = "tasks";            ///< the loop's name in the schedule
  std::uint64_t iterations = 0;          ///< of the loop; 0: one for each task
  std::uint64_t chunk = 1;               ///< iterations of a task
  std::uint64_t fingerprint = 0;         ///< of the loop's structure; 0: none
  std::vector<std::uint32_t> work = {};  ///< of each task; empty: all equal
  ShareOptions share = {};
  PartitionOptions partition = {};
  GraphForm form = GraphForm::automatic;
  /// Each thread's tasks keep their order: for tasks that compute so much that an order for what
  /// they reach gains nothing, while the processor's guesses profit from like tasks in a row.
  bool keep_order = false;
};

/// What a schedule changes.
struct ScheduleReport {
  ShareReport share;         ///< of schedule_tasks alone
  bool bipartite = false;    ///< whether locations are vertices: each where most of its tasks are
  std::uint64_t weight = 0;  ///< of all edges
  std::vector<WeightBetween> before;  ///< with equal parts in the order of the tasks
  std::vector<WeightBetween> after;   ///< with the schedule
  /// The largest part's work over an equal share, less 1.
  double imbalance_before = 0;
  double imbalance_after = 0;
};

/// Divides the tasks among the threads along the machine's places, and orders each thread's: as
/// they are, or breadth first over what they share, whatever keeps those together that share more.
/// (Small tasks don't follow right after the one that they share most with, or they would wait for
/// what it writes: some others that are near come between.) The same call gives the same schedule.
/// Throws Error (input) for options that don't fit the tasks, and for threads that the machine has
/// no place for.
[[nodiscard]] Schedule schedule_tasks(const TaskLocations& tasks, const Machine& machine,
                                      const ThreadPlaces& threads,
                                      const ScheduleOptions& options = {},
                                      ScheduleReport* report = nullptr);

/// The same from a graph with a vertex for each task, which brings its work along.
[[nodiscard]] Schedule schedule_graph(const AffinityGraph& graph, const Machine& machine,
                                      const ThreadPlaces& threads,
                                      const ScheduleOptions& options = {},
                                      ScheduleReport* report = nullptr);

}  // namespace Atoll
