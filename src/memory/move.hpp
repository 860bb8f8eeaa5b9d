// Migration of placed memory to other nodes, with its content.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/memory/block.hpp"
#include "memory/stripes.hpp"

namespace Atoll::memory {

/// Migrates the pages of the stripes, which cover the range, to their nodes. Returns the number of
/// base pages on other nodes afterwards: those for which their node has no room.
std::uint64_t move(const Context& context, Range range, const std::vector<Stripe>& stripes,
                   PageSize pages);

}  // namespace Atoll::memory
