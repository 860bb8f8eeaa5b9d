// Puts counts of samples where the recorder's own go: into the region, as pages without lines.
#pragma once

#include "trace/recorder/region.hpp"
#include "trace/sample/counts.hpp"

namespace Atoll::trace::sample {

/// Contract: nobody records into the region any more. Threads and processes that the region doesn't
/// know (of static programs, or made without libc) are added to it. What there is no room for is
/// counted in the header's lost_events.
void store_counts(const Counts& counts, recorder::Header& header);

}  // namespace Atoll::trace::sample
