// A schedule that loops follow, and whether it fits a loop (docs/tasks.md).
#pragma once

#include <cstddef>
#include <span>

#include "atoll/parallel/task_observer.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {

/// When a schedule is followed.
struct FollowOptions {
  bool strict = false;  ///< a loop that the schedule doesn't fit is an error
  bool always = false;  ///< also where following is predicted not to pay
};

/// What becomes of the data of a loop that follows: following alone and following with data in the
/// order of the schedule are worth different things.
enum class LoopData { stays, is_packed };

/// Contract: a loop that the schedule doesn't fit is never run by it.
class FollowedSchedule {
 public:
  /// Throws Error (input) unless check() passes.
  explicit FollowedSchedule(Schedule schedule, FollowOptions options = {});

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

  /// The lists of the loop's tasks, for threads at these places. If the schedule has none, or the
  /// loop's size, chunk, fingerprint (if both have one), number of threads or their nodes are
  /// others: null, and a note() says why; with `strict`, throws Error (input).
  /// Null with a note(), too, if the schedule predicts that following doesn't pay, unless `always`.
  [[nodiscard]] const ScheduledLoop* lists_for(const TaskLoop& loop, const ThreadPlaces& places,
                                               LoopData data = LoopData::stays) const;
  /// The same for so many threads, wherever they are.
  [[nodiscard]] const ScheduledLoop* lists_for(const TaskLoop& loop, std::size_t threads,
                                               LoopData data = LoopData::stays) const;

 private:
  /// Returns the lists if `places` (by thread; empty: unknown) and everything else fit.
  [[nodiscard]] const ScheduledLoop* fitting(const TaskLoop& loop, std::size_t threads,
                                             std::span<const ThreadPlace> places,
                                             LoopData data) const;

  Schedule schedule_;
  FollowOptions options_;
};

}  // namespace Atoll
