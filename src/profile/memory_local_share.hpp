// Local share of the traffic that reaches memory, defined as in the simulator.
#pragma once

#include "profile/summary.hpp"

namespace Atoll::profile {

/// Returns the local fraction of the lines that last-level caches read from memory, write back or
/// transfer to other caches. A line is local if its memory is on the thread's own node under first
/// touch. Returns 0 if there are no such lines.
[[nodiscard]] double memory_local_share(const Summary& summary);

}  // namespace Atoll::profile
