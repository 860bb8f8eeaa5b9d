// Predicts the time saved by a schedule before it is applied. An index list alone can make a loop
// slower, and packing must save its own cost first [affinity §3.1, §5].
#pragma once

#include <cstdint>
#include <span>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/affinity_graph.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {

/// Data on the program in addition to its tasks' locations.
struct PredictOptions {
  /// The program orders its data by the schedule: shared data by first use, a task's own data by
  /// task. If false, only the order of tasks changes.
  bool packs = false;
  std::uint32_t location_bytes = 8;
  /// Size of each location, in units of location_bytes; empty: 1 each. Locations are consecutive in
  /// memory, in the order of their numbers.
  std::span<const std::uint32_t> location_sizes = {};
  /// Additional bytes of each access that are used once: an index and a value. 0 if all data of a
  /// task are locations.
  double streamed_bytes = 12;
  /// Bytes that only one task uses, in arrays indexed by the task, if they aren't among the
  /// locations.
  std::uint32_t own_bytes = 0;
  /// Bytes of each location that tasks add to; 0: none. Without the schedule, each thread has a
  /// private copy of all of them. Packed, it has copies only of those that several threads use.
  std::uint32_t added_bytes = 0;
  /// Seconds that each task computes, apart from memory accesses; empty: none. The slowest thread's
  /// sum counts, so a schedule with equal work is better than equal parts of unequal tasks.
  std::span<const float> task_seconds = {};
};

/// Predicts one loop, for threads at the schedule's places. Each thread's misses are estimated
/// (plan/reuse.hpp) in its share of the caches. A miss takes the latency from the thread's node to
/// the node of the thread that uses the location first, where its page was first touched or packed.
/// Time: a few passes over the accesses. Throws Error (input) unless the loop has the tasks, and
/// there are sizes for all locations or none, and seconds for all tasks or none.
[[nodiscard]] SchedulePrediction predict_schedule(const TaskLocations& tasks,
                                                  const ScheduledLoop& loop,
                                                  std::span<const ThreadPlace> places,
                                                  const Machine& machine,
                                                  const PredictOptions& options = {});

}  // namespace Atoll
