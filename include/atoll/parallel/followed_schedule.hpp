// A schedule that loops follow, and whether it fits a loop (docs/tasks.md).
#pragma once

#include <string>

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

 private:
  Schedule schedule_;
  bool strict_;
};

}  // namespace Atoll
