// Figure 2 of the paper: the data of each field that a tile accesses and shares with its
// neighbours; the skew of a chain.
#include <algorithm>

#include "stencil/bands.hpp"
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

/// Returns the hull of the coordinates of each field that the loops of a tile access.
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
        const Range region = region_of(chain, within, access, access.access != AccessMode::write);
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
  const auto group =
      std::ranges::find_if(of.groups, [tile](const Plan::Group& g) { return g.has(0, tile); });
  std::vector<Footprint> made(chain.fields.size());
  const std::vector<Interval> full = accessed(chain, plan, of, tile);
  const auto neighbour = [&](int other) {
    return group->has(0, other) ? accessed(chain, plan, of, other)
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

namespace {

/// End of the first of two tiles on a field, in one dimension: from `wrote` on, the second tile was
/// the last to write the points; from `read` on, the second tile has read them since.
struct Bound {
  int wrote = kMaxExtent, read = kMaxExtent;
};

/// Returns the distance by which the bound between two tiles, initially in the middle of the mesh,
/// moves down.
int skew_along(const Chain& chain, std::size_t d) {
  std::vector<Bound> bounds(chain.fields.size());
  int skew = 0;
  for (const ChainLoop& loop : chain.loops) {
    const int half = chain.meshes[static_cast<std::size_t>(loop.mesh)].interior.hi[d] / 2;
    // Boundary loops far from the middle move no bounds.
    if (loop.range.empty() || loop.range.lo[d] >= half || loop.range.hi[d] <= half) continue;
    const auto bound_of = [&](const ChainAccess& access) -> Bound* {
      const ChainField& field = chain.fields[static_cast<std::size_t>(access.field)];
      if (field.mesh != loop.mesh || field.flat[d]) return nullptr;
      return &bounds[static_cast<std::size_t>(access.field)];
    };
    int end = half;
    for (const ChainAccess& access : loop.accesses) {
      const Bound* const bound = bound_of(access);
      if (bound == nullptr) continue;
      if (access.access == AccessMode::read || access.access == AccessMode::read_write)
        end = std::min(end, bound->wrote - access.stencil.hi()[d]);
      if (access.access != AccessMode::read) end = std::min({end, bound->wrote, bound->read});
    }
    for (const ChainAccess& access : loop.accesses) {
      Bound* const bound = bound_of(access);
      if (bound == nullptr) continue;
      if (access.access != AccessMode::read) *bound = {end, kMaxExtent};
      if (access.access == AccessMode::read || access.access == AccessMode::read_write)
        bound->read = std::min(bound->read, end + access.stencil.lo()[d]);
    }
    if (end > loop.range.lo[d]) skew = std::max(skew, half - end);
  }
  return skew;
}

}  // namespace

std::array<int, kMaxDimensions> skew_of(const Chain& chain) {
  std::array<int, kMaxDimensions> skew{};
  for (std::size_t d = 0; d < skew.size(); ++d) skew[d] = skew_along(chain, d);
  return skew;
}

}  // namespace Atoll::stencil
