// What a recording by tasks has beside the tasks: whose memory the pages are, and its loops.
#pragma once

#include "trace/read_region.hpp"

namespace Atoll::trace {

/// Calls consumer.page for each page that was accessed, ascending by process and page, with its
/// objects alone.
void read_objects(const RegionView& region, const LinesOfPage& lines_of, Consumer& consumer);

/// The loops that the program told of.
[[nodiscard]] std::vector<TaskLoop> task_loops_of(const RegionView& region);
/// Throws Error (input) if tasks were lost because the program has more loops, or longer names of
/// loops, than the recorder has room for.
void refuse_lost_tasks(const RegionView& region, const std::string& program);
[[nodiscard]] std::vector<Reduction> reductions_of(const RegionView& region);

}  // namespace Atoll::trace
