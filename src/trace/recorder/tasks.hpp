// Which lines each task uses [affinity §2.1]. In a page that its thread uses, each line has a stamp
// of the last task that used it, and the words that this task read and wrote, instead of counts. A
// line with another stamp is new to the task: it gets the present one, and an entry in the thread's
// log. At the task's end the log and the lines that it names are told to `atoll`. Slots of such
// pages look as if they held others, so front ends need no further instruction where they count.
#pragma once

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

/// True if uses are told by task, and not counted.
[[nodiscard]] inline bool is_by_task() {
  return header()->by_task != 0;
}

/// True if the thread has a log, which it gets here; false: memory is short.
[[nodiscard]] bool has_log(ThreadState* thread);

}  // namespace Atoll::trace::recorder
