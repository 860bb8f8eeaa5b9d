// Writes counts of samples into the region, as the recorder does: as pages without lines.
#pragma once

#include "trace/recorder/region.hpp"
#include "trace/sample/counts.hpp"

namespace Atoll::trace::sample {

/// Contract: no process records into the region any more. Adds threads and processes that the
/// region lacks (of static programs, or created without libc). If there is no room for an entry, it
/// counts in the header's lost_events.
void store_counts(const Counts& counts, recorder::Header& header);

}  // namespace Atoll::trace::sample
