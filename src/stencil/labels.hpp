// Which tile of a level a coordinate belongs to, as one number that can be compared: the group,
// then the tile's index within it. Groups of level 0 are, for B bands: 0 … B-1 the bands, B … 2B-1
// the gaps (gap g lies between bands g and g+1, the last one between the last band and the first),
// 2B what is run at the end.
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

/// Coordinates of one mesh and level that share a tile, before dependences move its bounds.
struct Zone {
  int begin = 0;      ///< the first coordinate; the first zone's also holds what is before it
  Label home = 0;     ///< the tile
  int gap = 0;        ///< the nearest gap
  int gap_index = 0;  ///< the index in that gap
};

/// The zones of one mesh and level.
struct Zones {
  std::vector<Zone> zones;
  int bands = 1;
};

/// Cuts `size` coordinates into `bands` bands, and these into tiles of about `tile` (0: one tile a
/// band).
[[nodiscard]] Zones make_zones(int size, int bands, int tile);

/// The least tile that comes after both, or is one of them and comes after the other: for a
/// coordinate in `zone`.
[[nodiscard]] Label join_groups(Label a, Label b, const Zone& zone, int bands);
inline Label join(Label a, Label b, const Zone& zone, int bands) {
  if (a < 0) return b;
  if (b < 0) return a;
  if (group_of(a) == group_of(b)) return std::max(a, b);
  return join_groups(a, b, zone, bands);
}

}  // namespace Atoll::stencil
