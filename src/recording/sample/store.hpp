// Writes counts of samples into the region, as the recorder does: as pages without lines.
#pragma once

#include "record/region.hpp"
#include "recording/sample/counts.hpp"

namespace Atoll::recording::sample {

/// Contract: no process records into the region any more. Adds threads and processes that the
/// region lacks (of static programs, or created without libc). If there is no room for an entry, it
/// counts in the header's lost_events.
void store_counts(const Counts& counts, record::Header& header);

}  // namespace Atoll::recording::sample
