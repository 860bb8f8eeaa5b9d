// Bytes that loops read and write.
#pragma once

#include <cstdint>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// Returns the bytes that a loop reads and writes, counted as in the paper's §5.1: each field once,
/// and twice if it is read and written.
[[nodiscard]] std::uint64_t bytes_of(const Chain& chain, const ChainLoop& loop);

}  // namespace Atoll::stencil
