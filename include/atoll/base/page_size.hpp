// Size of a base page.
#pragma once

#include <cstddef>

namespace Atoll {

/// Bytes of a base page of x86-64, the smallest unit that is placed.
inline constexpr std::size_t kPageBytes = 4096;

}  // namespace Atoll
