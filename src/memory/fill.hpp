// Maps the pages of a reservation on the nodes of a placement, and continues with another node when
// one is full: the ladder [numa-distance §3.2], in user space.
#pragma once

#include "atoll/memory/block.hpp"
#include "memory/headroom.hpp"

namespace Atoll::memory {

/// Maps the whole range, of which no page may be mapped yet. `headroom` must have been created for
/// its bytes. If it throws Error (failed), some pages remain mapped; the caller releases them.
void fill(const Context& context, Headroom& headroom, Range range, const Placement& placement,
          PageSize pages, WhenFull when_full, Populate populate);

}  // namespace Atoll::memory
