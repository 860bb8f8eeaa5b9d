// Moves the pages of placed memory to other nodes, with their content.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/memory/block.hpp"
#include "memory/stripes.hpp"

namespace Atoll::memory {

/// Moves the pages of the stripes, which cover the range. Returns how many base pages are elsewhere
/// in the end: those for which their node has no room.
std::uint64_t move(const Context& context, Range range, const std::vector<Stripe>& stripes,
                   PageSize pages);

}  // namespace Atoll::memory
