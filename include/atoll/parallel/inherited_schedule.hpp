// The schedule that a process inherits: `atoll run --schedule` puts its file's path into the
// environment, and the program's loops of tasks follow it (docs/tasks.md).
#pragma once

#include "atoll/machine/thread_places.hpp"
#include "atoll/parallel/followed_schedule.hpp"

namespace Atoll {

/// Environment variable with the path of the schedule's file.
inline constexpr char kScheduleVariable[] = "ATOLL_SCHEDULE";
/// Environment variable; unless "", a loop that the schedule doesn't fit is an error.
inline constexpr char kStrictScheduleVariable[] = "ATOLL_SCHEDULE_STRICT";
/// Environment variable; unless "", loops follow the schedule even if a slowdown is predicted.
inline constexpr char kAlwaysScheduleVariable[] = "ATOLL_SCHEDULE_ALWAYS";

/// Returns this process's schedule, which is read once; null if there is none. Throws
/// read_schedule()'s errors.
[[nodiscard]] const FollowedSchedule* inherited_schedule();

/// Returns the thread places of this process's schedule, if it has one and `threads` is 0 or their
/// number; a team at these places can follow it. Else returns spread_places(machine, threads).
/// Throws Error (input) if the machine lacks a place, and read_schedule()'s errors.
[[nodiscard]] ThreadPlaces scheduled_places(const Machine& machine, int threads = 0);

/// Returns true if `atoll schedule` started this run to measure a schedule's gain, in runs with and
/// without the schedule.
[[nodiscard]] bool schedule_is_tried() noexcept;

}  // namespace Atoll
