// Label of the tile of a coordinate in one level, as one comparable number: the group, then the
// index of the tile within the group. With B bands, the groups are: 0 … B-1 the bands; B … 2B-1 the
// gaps (gap g is between bands g and g+1, the last one between the last band and the first); 2B the
// remainder, which runs at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace Atoll::stencil {

using Label = std::int32_t;

inline constexpr int kIndexBits = 20;
inline constexpr Label kNoLabel = -1;

inline constexpr Label label_of(int group, int index) {
  return static_cast<Label>(group << kIndexBits | index);
}
inline constexpr int group_of(Label label) {
  return label >> kIndexBits;
}
inline constexpr int index_of(Label label) {
  return label & ((1 << kIndexBits) - 1);
}

/// Coordinates of one mesh and level with the same tile, before dependences move its bounds.
struct Zone {
  int begin = 0;      ///< first coordinate; the first zone also has all coordinates before it
  Label home = 0;     ///< label of the tile
  int gap = 0;        ///< nearest gap
  int gap_index = 0;  ///< index of the tile in that gap
};

/// The zones of one mesh and level, ascending.
struct Zones {
  std::vector<Zone> zones;
  int bands = 1;
};

/// Cuts `size` coordinates into `bands` bands, and each band into tiles of about `tile` coordinates
/// (0: one tile per band).
[[nodiscard]] Zones make_zones(int size, int bands, int tile);

/// Returns, for a coordinate in `zone`, the earliest tile that may depend on both tiles: the later
/// one if it may depend on the other, else a common successor.
[[nodiscard]] Label join_groups(Label a, Label b, const Zone& zone, int bands);
inline Label join(Label a, Label b, const Zone& zone, int bands) {
  if (a < 0) return b;
  if (b < 0) return a;
  if (group_of(a) == group_of(b)) return std::max(a, b);
  return join_groups(a, b, zone, bands);
}

}  // namespace Atoll::stencil
