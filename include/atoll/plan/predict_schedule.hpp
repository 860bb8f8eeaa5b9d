// What following a schedule is worth, before anything follows it: an index list alone can make a
// loop slower than it was, and packing has to be won back first [affinity §3.1, §5].
#pragma once

#include <cstdint>
#include <span>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/affinity_graph.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {

/// What is known of the program beyond what its tasks use.
struct PredictOptions {
  /// The program orders its data by the schedule: what tasks share by its first use, what belongs
  /// to one task by the task. Else only the order of tasks changes.
  bool packs = false;
  std::uint32_t location_bytes = 8;
  /// How many times location_bytes each location takes; empty: once. Locations lie in memory one
  /// after the other in the order of their numbers.
  std::span<const std::uint32_t> location_sizes = {};
  /// Bytes that each access brings along besides, used once: an index and a value. 0 if all that
  /// tasks use is a location.
  double streamed_bytes = 12;
  /// Bytes that each task alone uses, in arrays indexed by the task, if no location stands for
  /// them.
  std::uint32_t own_bytes = 0;
  /// So many bytes of each location are what tasks add to. The loop as it is gives each thread a
  /// private copy of all of them; packed, only of those that several threads use. 0: none.
  std::uint32_t added_bytes = 0;
  /// Seconds that each task computes, whatever the caches do; empty: none. The slowest thread's sum
  /// counts, so that a schedule with equal work is worth more than equal parts of unequal tasks.
  std::span<const float> task_seconds = {};
};

/// Predicts one loop, for threads at the schedule's places. Each thread's misses are estimated
/// (plan/reuse.hpp) in its share of the caches; a miss takes the latency from its node to the node
/// of the thread that uses the location first, which is where its page was first touched, or was
/// packed to. Time: a few passes over the accesses. Throws Error (input) unless the loop has the
/// tasks, and there is a size for each location or for none, and seconds for each task or for none.
[[nodiscard]] SchedulePrediction predict_schedule(const TaskLocations& tasks,
                                                  const ScheduledLoop& loop,
                                                  std::span<const ThreadPlace> places,
                                                  const Machine& machine,
                                                  const PredictOptions& options = {});

}  // namespace Atoll
