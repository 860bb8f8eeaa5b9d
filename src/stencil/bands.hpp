// Partition of a mesh's rows (planes in 3D) into bands, one for each thread. The pages of fields
// and the tiles of plans follow the same bands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace Atoll::stencil {

/// Maximum number of points of a mesh or a halo in one dimension, so that sums of several fit an
/// int.
inline constexpr int kMaxExtent = 1 << 28;

/// Returns the end of each band: `size` rows in equal parts, in at most `size` bands.
inline std::vector<int> band_ends(int size, int bands) {
  bands = std::max(1, std::min(bands, size));
  std::vector<int> ends;
  for (int band = 1; band <= bands; ++band)
    ends.push_back(static_cast<int>(std::int64_t{size} * band / bands));
  return ends;
}

}  // namespace Atoll::stencil
