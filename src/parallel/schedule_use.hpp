// Reports to the parent process that the program requested a schedule's tasks.
#pragma once

namespace Atoll::detail {

/// Environment variable with the path of a file, to which a byte is written when a loop requests
/// its lists.
inline constexpr char kUsedScheduleVariable[] = "ATOLL_SCHEDULE_USED";

/// Writes the byte, once per process. Does nothing if the variable isn't set.
void report_schedule_use();

}  // namespace Atoll::detail
