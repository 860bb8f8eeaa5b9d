// Candidate tile sizes from the machine's caches, the chain's fields and skew, and the length of
// rows.
#include <algorithm>
#include <cmath>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {
namespace {

/// The largest mesh of the chain, and the bytes per point of all its fields.
struct Data {
  const ChainMesh* mesh = nullptr;
  double point_bytes = 0;
  double bytes = 0;  ///< total bytes of all fields
};

Data data_of(const Chain& chain) {
  Data data;
  std::vector<double> by_mesh(chain.meshes.size());
  for (const ChainField& field : chain.fields) {
    const int dimensions = chain.meshes[static_cast<std::size_t>(field.mesh)].dimensions;
    if (std::any_of(field.flat.begin(), field.flat.begin() + dimensions,
                    [](bool flat) { return flat; }))
      continue;
    by_mesh[static_cast<std::size_t>(field.mesh)] += static_cast<double>(field.point_bytes);
    data.bytes +=
        static_cast<double>(field.point_bytes) * static_cast<double>(field.whole.points());
  }
  for (std::size_t m = 0; m < chain.meshes.size(); ++m)
    if (data.mesh == nullptr || chain.meshes[m].interior.points() > data.mesh->interior.points()) {
      data.mesh = &chain.meshes[m];
      data.point_bytes = by_mesh[m];
    }
  return data;
}

}  // namespace

TileCaches tile_caches(const Machine& machine) {
  TileCaches caches{machine.caches()};
  for (const MemorySideCache& cache : machine.hardware().memory_side_caches)
    caches.memory_side_bytes += cache.bytes;
  return caches;
}

std::vector<TileSize> choose_tiles(const Chain& chain, const TileCaches& caches, int threads) {
  const TileSize whole;
  const Data data = data_of(chain);
  if (data.mesh == nullptr || data.point_bytes == 0) return {whole};
  const CacheFigures& figures = caches.processor;
  const double l2 = figures.l2_bytes > 0 ? static_cast<double>(figures.l2_bytes) : 1 << 20;
  const double shared = std::max(1, std::min(threads, figures.l3_shared_by));
  const double l3 = std::max(l2, static_cast<double>(figures.l3_bytes) / shared);
  // A single loop reuses nothing, and data that fit the private cache need no tiles.
  if (chain.loops.size() < 2 || data.bytes / threads <= 0.5 * l2) return {whole};
  const Skew whole_skew = skew_of(chain);
  const auto& size = data.mesh->interior.hi;
  const int dimensions = data.mesh->dimensions;
  // The chain is split where the skew exceeds twice the tile's size (split.cpp): a tile of a long
  // chain has a third of its rows for itself.
  const auto skew_in = [&](double rows, std::size_t d) {
    return std::min(whole_skew[d], std::max(1, static_cast<int>(rows / 3 * 2)));
  };
  std::vector<TileSize> sizes;
  // Adds the tile whose points and edges take `bytes`. `x` is the length of its rows (0: uncut). In
  // three dimensions, y is minimal if `flat`, else y = z.
  const auto add = [&](double bytes, int x, bool flat) {
    TileSize tile;
    Skew skew = whole_skew;
    double rows = bytes / data.point_bytes;  // number of points; divided by the row length below
    const auto least = [&](std::size_t d) { return std::max(4, skew[d] / 2); };
    if (dimensions == 1) {
      skew[0] = skew_in(rows, 0);
      tile.points[0] = static_cast<int>(rows) - skew[0];
    } else {
      if (x != 0) skew[0] = std::min(skew[0], 2 * x);
      rows /= x == 0 ? size[0] : x + skew[0];
      tile.points[0] = x;
      if (dimensions == 2) {
        skew[1] = skew_in(rows, 1);
        tile.points[1] = static_cast<int>(rows) - skew[1];
      } else {
        skew[1] = skew_in(std::sqrt(rows), 1);
        const double y = flat ? least(1) + skew[1] : std::sqrt(rows);
        tile.points[1] = std::min(static_cast<int>(y) - skew[1], size[1]);
        tile.points[1] = std::max(tile.points[1], least(1));
        rows /= tile.points[1] + skew[1];
        skew[2] = skew_in(rows, 2);
        tile.points[2] = static_cast<int>(rows) - skew[2];
      }
    }
    // Size from which a dimension isn't cut. If bands are longer than gaps, the limit in the
    // outermost dimension is a thread's band: longer tiles would all give the same plan.
    const auto most = [&](std::size_t d) {
      const int band = (size[d] + threads - 1) / threads;
      return static_cast<int>(d) + 1 == dimensions && band >= 2 * skew[d] + 2 ? band : size[d];
    };
    for (std::size_t d = dimensions == 1 || x != 0 ? 0 : 1;
         d < static_cast<std::size_t>(dimensions); ++d) {
      tile.points[d] = std::max(tile.points[d], least(d));
      if (tile.points[d] >= most(d)) tile.points[d] = 0;
    }
    if (std::ranges::find(sizes, tile) == sizes.end()) sizes.push_back(tile);
  };
  // Uncut rows; the data shared with the next tile remain in the shared cache. If the shared cache
  // is small or rows are long, tiles with shorter rows that fit the private cache may be faster.
  const bool long_rows = dimensions > 1 && size[0] > 1000;
  if (l3 < 4 * l2) add(1.5 * l2, long_rows ? 480 : 0, false);
  add(0.2 * l3, 0, true);
  add(0.45 * l3, 0, true);
  if (dimensions == 3) add(0.2 * l3, 0, false);
  if (long_rows) {
    add(3 * l2, 480, true);
    add(0.2 * l3, 480, true);
  } else {
    add(1.5 * l2, 0, false);
    add(l3, 0, true);
  }
  // Fields that exceed a memory-side cache: tiles that fit it, instead of the caches before it.
  if (const auto memory_side = static_cast<double>(caches.memory_side_bytes);
      memory_side > 0 && data.bytes > memory_side)
    add(0.45 * memory_side / threads, 0, true);
  return sizes;
}

}  // namespace Atoll::stencil
