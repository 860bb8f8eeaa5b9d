// A schedule that loops follow, and whether it fits a loop (docs/tasks.md).
#pragma once

#include <cstddef>
#include <span>

#include "atoll/parallel/task_observer.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {

/// Contract: a loop that the schedule doesn't fit is never run by it.
class FollowedSchedule {
 public:
  /// Throws Error (input) unless check() passes. `strict`: a loop that the schedule doesn't fit is
  /// an error.
  explicit FollowedSchedule(Schedule schedule, bool strict = false);

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

  /// The lists of the loop's tasks, for threads at these places. If the schedule has none, or the
  /// loop's size, chunk, fingerprint (if both have one), number of threads or their nodes are
  /// others: null, and a note() says why; with `strict`, throws Error (input).
  [[nodiscard]] const ScheduledLoop* lists_for(const TaskLoop& loop,
                                               const ThreadPlaces& places) const;
  /// The same for so many threads, wherever they are.
  [[nodiscard]] const ScheduledLoop* lists_for(const TaskLoop& loop, std::size_t threads) const;

 private:
  /// Returns the lists if `places` (by thread; empty: unknown) and everything else fit.
  [[nodiscard]] const ScheduledLoop* fitting(const TaskLoop& loop, std::size_t threads,
                                             std::span<const ThreadPlace> places) const;

  Schedule schedule_;
  bool strict_;
};

}  // namespace Atoll
