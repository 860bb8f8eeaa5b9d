// Figure 2 of the paper: what a tile accesses of each field, and what it shares with its
// neighbours; how far bounds move in a chain.
#include <algorithm>

#include "stencil/coverage.hpp"
#include "stencil/cut.hpp"

namespace Atoll::stencil {
namespace {

using Interval = Plan::Interval;

Interval hull(const Interval& a, const Interval& b) {
  if (a.lo >= a.hi) return b;
  if (b.lo >= b.hi) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval common(const Interval& a, const Interval& b) {
  const Interval both{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  return both.lo < both.hi ? both : Interval{};
}

/// What the loops of a tile access of each field.
std::vector<Interval> accessed(const Chain& chain, const Plan& plan, const Plan::Segment& segment,
                               int tile) {
  std::vector<Interval> all(chain.fields.size());
  for (int l = segment.first; l < segment.end; ++l) {
    const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
    const int d = dimension_of(chain.meshes[static_cast<std::size_t>(loop.mesh)], 0);
    if (loop.range.empty()) continue;
    for (const Interval& part : Plan::of_tile(plan.loops[static_cast<std::size_t>(l)][0], tile))
      for (const ChainAccess& access : loop.accesses) {
        ChainLoop within = loop;
        within.range.lo[static_cast<std::size_t>(d)] = part.lo;
        within.range.hi[static_cast<std::size_t>(d)] = part.hi;
        const Range region = region_of(chain, within, access, access.access != Access::write);
        auto& sum = all[static_cast<std::size_t>(access.field)];
        sum = hull(
            sum, {region.lo[static_cast<std::size_t>(d)], region.hi[static_cast<std::size_t>(d)]});
      }
  }
  return all;
}

}  // namespace

std::vector<Footprint> footprints(const Chain& chain, const Plan& plan, int segment, int tile) {
  const Plan::Segment& of = plan.segments[static_cast<std::size_t>(segment)];
  const auto group = std::ranges::find_if(
      of.groups, [tile](const Plan::Group& g) { return tile >= g.first && tile < g.end; });
  std::vector<Footprint> made(chain.fields.size());
  const std::vector<Interval> full = accessed(chain, plan, of, tile);
  const auto neighbour = [&](int other) {
    return other >= group->first && other < group->end ? accessed(chain, plan, of, other)
                                                       : std::vector<Interval>(chain.fields.size());
  };
  const std::vector<Interval> before = neighbour(tile - 1), after = neighbour(tile + 1);
  for (std::size_t f = 0; f < made.size(); ++f) {
    Footprint& print = made[f];
    print.full = print.left = print.right = full[f];
    print.left_edge = common(full[f], before[f]);
    print.right_edge = common(full[f], after[f]);
    if (print.right_edge.lo < print.right_edge.hi) print.left.hi = print.right_edge.lo;
    if (print.left_edge.lo < print.left_edge.hi) print.right.lo = print.left_edge.hi;
    print.left.hi = std::max(print.left.hi, print.left.lo);
    print.right.lo = std::min(print.right.lo, print.right.hi);
  }
  return made;
}

std::array<int, kMaxDimensions> skew_of(const Chain& chain) {
  std::array<int, kMaxDimensions> skew{};
  // Two tiles: the bound between them begins in the middle, and moves down by the skew.
  for (int level = 0; level < kMaxDimensions; ++level) {
    TileSize halves;
    for (const ChainMesh& mesh : chain.meshes) {
      const int d = dimension_of(mesh, level);
      if (d >= 0) {
        int& points = halves.points[static_cast<std::size_t>(d)];
        points = std::max(points, (mesh.interior.hi[static_cast<std::size_t>(d)] + 1) / 2);
      }
    }
    const LevelCut cut =
        cut_level(chain, 0, static_cast<int>(chain.loops.size()), level, 1, halves);
    if (cut.labels.size() < 2) continue;
    for (std::size_t l = 0; l < cut.loops.size(); ++l) {
      const ChainLoop& loop = chain.loops[l];
      const ChainMesh& mesh = chain.meshes[static_cast<std::size_t>(loop.mesh)];
      const int d = dimension_of(mesh, level);
      if (d < 0 || cut.loops[l].first[1] == 0) continue;
      const auto dim = static_cast<std::size_t>(d);
      const int half = mesh.interior.hi[dim] / 2;
      const Interval& low = cut.loops[l].intervals[cut.loops[l].first[1] - 1];
      if (low.hi < loop.range.hi[dim] && low.hi <= half)
        skew[dim] = std::max(skew[dim], half - low.hi);
    }
  }
  return skew;
}

}  // namespace Atoll::stencil
