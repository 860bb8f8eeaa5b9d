// A schedule for loops to follow, and the check that it fits a loop (docs/tasks.md).
#pragma once

#include <cstddef>
#include <span>

#include "atoll/parallel/task_observer.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {

/// Conditions for following a schedule.
struct FollowOptions {
  bool strict = false;  ///< a loop that the schedule doesn't fit is an error
  bool always = false;  ///< follow even if a slowdown is predicted
};

/// Placement of a loop's data when it follows a schedule. The predicted gain depends on whether the
/// data is packed in the schedule's order.
enum class LoopData { stays, is_packed };

/// A schedule that is checked against each loop. A loop that the schedule doesn't fit never runs by
/// it.
class FollowedSchedule {
 public:
  /// Throws Error (input) if check() fails.
  explicit FollowedSchedule(Schedule schedule, FollowOptions options = {});

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

  /// Returns the lists of the loop's tasks for threads at these places. Returns null, with a note()
  /// of the reason, if the schedule has no lists for the loop, or if the loop's size, chunk,
  /// fingerprint (if both have one), number of threads or their nodes differ; with `strict`, throws
  /// Error (input) instead. Also returns null with a note() if the schedule predicts a slowdown,
  /// unless `always` is set.
  [[nodiscard]] const ScheduledLoop* lists_for(const TaskLoop& loop, const ThreadPlaces& places,
                                               LoopData data = LoopData::stays) const;
  /// The same for a number of threads at unknown places.
  [[nodiscard]] const ScheduledLoop* lists_for(const TaskLoop& loop, std::size_t threads,
                                               LoopData data = LoopData::stays) const;

 private:
  /// Returns the lists if `places` (by thread; empty if unknown) and all else fit.
  [[nodiscard]] const ScheduledLoop* fitting(const TaskLoop& loop, std::size_t threads,
                                             std::span<const ThreadPlace> places,
                                             LoopData data) const;

  Schedule schedule_;
  FollowOptions options_;
};

}  // namespace Atoll
