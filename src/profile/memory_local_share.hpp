// The local part of what reaches memory, as simulation counts it too.
#pragma once

#include "profile/summary.hpp"

namespace Atoll::profile {

/// Returns the part of the lines that last-level caches read, write back or pass on to others,
/// whose memory is that of the threads' own node, with pages where they were touched first; 0
/// without such lines.
[[nodiscard]] double memory_local_share(const Summary& summary);

}  // namespace Atoll::profile
