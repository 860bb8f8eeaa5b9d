// Reports to the process that started this one whether the program asked for a schedule's tasks.
#pragma once

namespace Atoll::detail {

/// In the environment: a file to which a byte is written when a loop asks for its lists.
inline constexpr char kUsedScheduleVariable[] = "ATOLL_SCHEDULE_USED";

/// Writes the byte, once for a process. Does nothing if the environment names no file.
void report_schedule_use();

}  // namespace Atoll::detail
