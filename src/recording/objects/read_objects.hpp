// Reads from a recording of tasks all but the tasks: the objects of the accessed pages, and the
// loops.
#pragma once

#include "recording/read_region.hpp"

namespace Atoll::recording {

/// Calls consumer.page for each accessed page, ascending by process and page, with its objects
/// only.
void read_objects(const RegionView& region, const LinesOfPage& lines_of, Consumer& consumer);

/// Returns the loops of tasks that the program declared.
[[nodiscard]] std::vector<TaskLoop> task_loops_of(const RegionView& region);
/// Throws Error (input) if tasks were lost because the program has more loops, or longer loop
/// names, than the recorder has room for.
void refuse_lost_tasks(const RegionView& region, const std::string& program);
[[nodiscard]] std::vector<Reduction> reductions_of(const RegionView& region);

}  // namespace Atoll::recording
