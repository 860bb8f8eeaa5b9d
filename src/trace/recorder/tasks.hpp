// Which lines each task uses [affinity §2.1], without a further instruction on the fast paths. All
// lines of a page that its thread uses are watched: both of their counts look full, so that a
// task's first use of one comes to the library, which notes the line and stops watching it. At the
// task's end the noted lines say which of their words were used; they are told to `atoll` and
// watched again. So a task costs a call for each of its lines, and the region no memory for it.
#pragma once

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

/// True if uses are told by task, and not counted.
[[nodiscard]] inline bool is_by_task() {
  return header()->by_task != 0;
}

/// Watches all lines of a page that its thread uses for the first time.
void watch_for_tasks(PageCounters* block);
/// A watched line is used: notes it.
void use_line_in_task(ThreadState* thread, PageCounters* block, std::uint64_t line);

}  // namespace Atoll::trace::recorder
