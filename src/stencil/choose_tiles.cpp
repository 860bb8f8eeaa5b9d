// Sizes of tiles from the machine's caches, the chain's fields and skew, and the rows' lengths.
#include <algorithm>
#include <cmath>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {
namespace {

/// The largest mesh of the chain, and what a point of it holds in all fields.
struct Data {
  const ChainMesh* mesh = nullptr;
  double point_bytes = 0;
  double bytes = 0;  ///< of all
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

std::vector<TileSize> choose_tiles(const Chain& chain, const CacheFigures& caches, int threads) {
  const TileSize whole;
  const Data data = data_of(chain);
  if (data.mesh == nullptr || data.point_bytes == 0) return {whole};
  const double l2 = caches.l2_bytes > 0 ? static_cast<double>(caches.l2_bytes) : 1 << 20;
  const double shared = std::max(1, std::min(threads, caches.l3_shared_by));
  const double l3 = std::max(l2, static_cast<double>(caches.l3_bytes) / shared);
  // One loop alone reuses nothing, and what fits the own cache anyway needs no tiles.
  if (chain.loops.size() < 2 || data.bytes / threads <= 0.5 * l2) return {whole};
  const std::array<int, kMaxDimensions> skew = skew_of(chain);
  const auto& size = data.mesh->interior.hi;
  std::vector<TileSize> sizes;
  const auto add = [&](double cache, int x) {
    // The points of a tile: it accesses its own ones and those of the edges around.
    const double points = cache / data.point_bytes;
    TileSize tile;
    const int dimensions = data.mesh->dimensions;
    if (dimensions == 1) {
      tile.points[0] = static_cast<int>(points) - skew[0];
    } else {
      const double row = (x == 0 ? size[0] : x + skew[0]);
      const double rows = points / row;
      tile.points[0] = x;
      if (dimensions == 2) {
        tile.points[1] = static_cast<int>(rows) - skew[1];
      } else {
        // A square, edges included.
        const double side = std::sqrt(rows);
        tile.points[1] = static_cast<int>(side) - skew[1];
        tile.points[2] = static_cast<int>(side) - skew[2];
        if (tile.points[1] >= size[1]) {
          tile.points[1] = 0;
          tile.points[2] = static_cast<int>(rows / size[1]) - skew[2];
        }
      }
    }
    bool cut = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      if (d == 0 && dimensions > 1 && x == 0) continue;
      if (tile.points[d] == 0) continue;
      tile.points[d] = std::max(tile.points[d], std::max(4, skew[d] / 2));
      if (tile.points[d] >= size[d]) tile.points[d] = 0;
      cut = cut || tile.points[d] > 0;
    }
    if (!cut) tile = whole;
    if (std::ranges::find(sizes, tile) == sizes.end()) sizes.push_back(tile);
  };
  // Short rows cost the kernels' loops and the edges in x; long ones leave few rows for a tile.
  const int row = size[0] > 1000 ? 480 : 0;
  add(1.5 * l2, row);
  add(0.5 * l3, row);
  add(3 * l2, row);
  if (row != 0) add(0.5 * l3, 0);
  return sizes;
}

}  // namespace Atoll::stencil
