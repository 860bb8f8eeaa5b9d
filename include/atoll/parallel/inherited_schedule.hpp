// The schedule that a process is started with: `atoll run --schedule` names its file in the
// environment, and the program's loops of tasks follow it (docs/tasks.md).
#pragma once

#include "atoll/machine/thread_places.hpp"
#include "atoll/parallel/followed_schedule.hpp"

namespace Atoll {

/// In the environment: the path of a schedule's file.
inline constexpr char kScheduleVariable[] = "ATOLL_SCHEDULE";
/// In the environment, if loops that the schedule doesn't fit are errors: anything but "".
inline constexpr char kStrictScheduleVariable[] = "ATOLL_SCHEDULE_STRICT";
/// In the environment, if loops follow also where that is predicted not to pay: anything but "".
inline constexpr char kAlwaysScheduleVariable[] = "ATOLL_SCHEDULE_ALWAYS";

/// Returns this process's schedule, which is read once; null if it has none. Throws
/// read_schedule()'s errors.
[[nodiscard]] const FollowedSchedule* inherited_schedule();

/// Returns the places of the threads of this process's schedule, if it has one and `threads` is 0
/// or their number, so that a team of these places follows it. Else returns spread_places(machine,
/// threads). Throws Error (input) if the machine lacks a place, and read_schedule()'s errors.
[[nodiscard]] ThreadPlaces scheduled_places(const Machine& machine, int threads = 0);

/// Returns true in a run by which `atoll schedule` measures a schedule's gain, with it or without.
[[nodiscard]] bool schedule_is_tried() noexcept;

}  // namespace Atoll
