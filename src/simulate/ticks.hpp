// Simulated time in whole picoseconds, so that sums depend neither on their order nor on the host.
#pragma once

#include <cmath>
#include <cstdint>

namespace Atoll::simulate {

using Ticks = std::int64_t;

inline constexpr double kTicksOfNanosecond = 1e3;
inline constexpr double kTicksOfSecond = 1e12;

[[nodiscard]] inline Ticks ticks_of_ns(double ns) {
  return static_cast<Ticks>(std::llround(ns * kTicksOfNanosecond));
}
[[nodiscard]] inline double seconds_of(Ticks ticks) {
  return static_cast<double>(ticks) / kTicksOfSecond;
}

/// For products that exceed 64 bits.
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

}  // namespace Atoll::simulate
