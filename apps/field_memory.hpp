// Checks that the fields of a stencil program fit into memory, or into the folder that is their
// home.
#pragma once

#include <atoll/stencil/options.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>

#include "memory.hpp"

namespace app {

/// Upper bound of the bytes of one field of doubles, including padding of lines and pages. `points`
/// are the points of each dimension with the halo.
inline double field_bytes(const std::array<double, 3>& points, int dimensions) {
  constexpr double kLine = 8, kLarge = 16 << 20;
  double all = 1;
  for (int axis = 0; axis < dimensions; ++axis)
    all *= points[static_cast<std::size_t>(axis)] + (axis == 0 ? 2 * kLine : 0);
  const double bytes = all * sizeof(double);
  // Large fields use huge pages, of which the first and the last may be partly unused.
  return bytes + (bytes >= kLarge ? 4 << 20 : 64 << 10);
}

/// Returns the room for fields in bytes: of the folder that is their home, or the memory.
inline double room_for_fields(const Atoll::stencil::Options& options) {
  if (options.prediction) return std::numeric_limits<double>::infinity();
  if (options.home.empty()) return available_memory();
  std::error_code error;
  const auto space = std::filesystem::space(options.home, error);
  // The library reports a bad folder.
  return error || space.capacity == 0 ? std::numeric_limits<double>::infinity()
                                      : static_cast<double>(space.available);
}

/// Returns the way out if fields don't fit. `smaller` proposes a size.
inline std::string way_out(const Atoll::stencil::Options& options, const std::string& smaller) {
  return smaller + (options.home.empty() ? ", or name a folder for the fields with --home"
                                         : ", or name a folder with more room");
}

}  // namespace app
