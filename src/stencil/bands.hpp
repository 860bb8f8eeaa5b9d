// Which rows of a mesh (planes, in 3D) each thread computes: fields lie so, and plans are cut so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace Atoll::stencil {

/// The most points that a mesh, or a halo, has in one dimension: sums of some of them fit an int.
inline constexpr int kMaxExtent = 1 << 28;

/// The row after the last one of each band: equal parts of `size` rows, for at most as many bands
/// as there are rows.
inline std::vector<int> band_ends(int size, int bands) {
  bands = std::max(1, std::min(bands, size));
  std::vector<int> ends;
  for (int band = 1; band <= bands; ++band)
    ends.push_back(static_cast<int>(std::int64_t{size} * band / bands));
  return ends;
}

}  // namespace Atoll::stencil
