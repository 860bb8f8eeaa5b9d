// Hands on what a recording by tasks has beside the tasks: whose memory the pages are.
#pragma once

#include "trace/read_region.hpp"

namespace Atoll::trace {

/// Calls consumer.page for each page that was accessed, ascending by process and page, with its
/// objects alone.
void read_objects(const RegionView& region, const LinesOfPage& lines_of, Consumer& consumer);

}  // namespace Atoll::trace
