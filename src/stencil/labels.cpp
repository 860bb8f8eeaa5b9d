// Labels of tiles and their joins.
#include "stencil/labels.hpp"

#include "stencil/bands.hpp"

namespace Atoll::stencil {

Zones make_zones(int size, int bands, int tile) {
  const std::vector<int> ends = band_ends(size, bands);
  Zones made;
  made.bands = static_cast<int>(ends.size());
  // Fits the bits of an index, with room for the indices of gaps.
  constexpr int kMaxTiles = 1 << (kIndexBits - 2);
  if (tile > 0) tile = std::max(tile, size / kMaxTiles + 1);
  int index = 0;
  for (int band = 0, begin = 0; band < made.bands; begin = ends[static_cast<std::size_t>(band++)]) {
    const int end = ends[static_cast<std::size_t>(band)];
    // All tiles but the last have the same size, so that plans store them once.
    const int wanted = tile > 0 ? (end - begin + tile - 1) / tile : 1;
    const int each = (end - begin + wanted - 1) / wanted;
    const int tiles = (end - begin + each - 1) / each;
    const int middle = begin + (end - begin) / 2;
    for (int t = 0; t < tiles; ++t, ++index) {
      const int from = begin + t * each;
      const int to = std::min(end, from + each);
      const Label home = label_of(band, index);
      if (made.bands == 1) {
        made.zones.push_back({from, home, 0, index});
        continue;
      }
      // A gap's tiles are pairs of tiles, counted from the bound between its bands. The bound is in
      // the middle of a pair, because few gaps are longer than a pair.
      const auto gap_index = [&](int from_bound) { return kMaxTiles + ((from_bound + 1) >> 1); };
      if (from < middle)
        made.zones.push_back({from, home, (band + made.bands - 1) % made.bands, gap_index(t)});
      if (to > middle)
        made.zones.push_back({std::max(from, middle), home, band, gap_index(t - tiles)});
    }
  }
  return made;
}

Label join_groups(Label a, Label b, const Zone& zone, int bands) {
  const auto near = [&](Label label) {
    const int group = group_of(label);
    return group == zone.gap || group == (zone.gap + 1) % bands || group == bands + zone.gap;
  };
  const bool in_gap = near(a) && near(b);
  const int group = in_gap ? bands + zone.gap : 2 * bands;
  int index = in_gap ? zone.gap_index : index_of(zone.home);
  for (const Label label : {a, b})
    if (group_of(label) == group) index = std::max(index, index_of(label));
  return label_of(group, index);
}

}  // namespace Atoll::stencil
