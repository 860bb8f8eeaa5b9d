// Recording of the lines that each task uses [affinity §2.1]. Instead of counts, a line of
// PageCounters has the stamp of the last task that used it, and the words that this task read and
// wrote. If the stamp differs from the current task's, the line is new to the task: it gets the
// task's stamp and an entry in the thread's log. At the end of the task, the log's lines are sent
// to `atoll`. The slots of such pages look like those of other pages, so the fast paths of front
// ends miss them without a further instruction.
#pragma once

#include "record/inside.hpp"

namespace Atoll::record {

/// Returns true if uses are recorded by task instead of counted.
[[nodiscard]] inline bool is_by_task() {
  return header()->by_task != 0;
}

/// Returns true if the thread has a log, allocating it if necessary; false if memory is short.
[[nodiscard]] bool has_log(ThreadState* thread);

}  // namespace Atoll::record
