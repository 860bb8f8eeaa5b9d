// Whether a program's data fits into memory, asked before anything is allocated.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/units.hpp>
#include <atoll/memory/backend.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace app {

/// The memory that can be taken now, in bytes.
inline double available_memory() {
  return static_cast<double>(
      Atoll::memory::system_backend().available(Atoll::PageSize::huge).in_all());
}

/// Throws Error (input) if `needed` bytes are more than there are. `needed` is a double, since a
/// call can ask for more than 2^64 bytes. `what` takes them; `way_out` is what would be right.
inline void check_memory(const std::string& where, const std::string& what, double needed,
                         const std::string& way_out, double available = available_memory()) {
  if (needed <= available) return;
  const auto bytes = [](double count) {
    return Atoll::format_bytes(static_cast<std::uint64_t>(std::min(count, 0x1p63)));
  };
  throw Atoll::Error::input(
      where, what + " need " + bytes(needed) + " of memory, and there are " + bytes(available),
      way_out);
}

/// An upper bound of the bytes of one field of doubles, with what fills up lines and pages.
/// `points` are those of each dimension, the halo among them; there are `dimensions`.
inline double field_bytes(const std::array<double, 3>& points, int dimensions) {
  constexpr double kLine = 8, kLarge = 16 << 20;
  double all = 1;
  for (int axis = 0; axis < dimensions; ++axis)
    all *= points[static_cast<std::size_t>(axis)] + (axis == 0 ? 2 * kLine : 0);
  const double bytes = all * sizeof(double);
  // Large fields are in huge pages, of which the first and the last may be partly used.
  return bytes + (bytes >= kLarge ? 4 << 20 : 64 << 10);
}

}  // namespace app
