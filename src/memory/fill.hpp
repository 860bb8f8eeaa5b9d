// Maps the pages of a reservation where a placement wants them, and goes on with another node when
// one is full: the ladder [numa-distance §3.2], in user space.
#pragma once

#include "atoll/memory/block.hpp"
#include "memory/headroom.hpp"

namespace Atoll::memory {

/// Maps all of the range, of which nothing is mapped yet; `headroom` was made for its bytes. Throws
/// Error (failed) with pages left in the range; the caller releases them.
void fill(const Context& context, Headroom& headroom, Range range, const Placement& placement,
          PageSize pages, WhenFull when_full, Populate populate);

}  // namespace Atoll::memory
