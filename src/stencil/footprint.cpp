// Figure 2 of the paper: the data of each field that a tile accesses and shares with its
// neighbours.
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
std::vector<Interval> accessed(const Chain& chain, const Plan::Segment& segment, int tile) {
  std::vector<Interval> all(chain.fields.size());
  for (int l = segment.first; l < segment.end; ++l) {
    const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
    const int d = dimension_of(chain.meshes[static_cast<std::size_t>(loop.mesh)], 0);
    if (loop.range.empty()) continue;
    for (const Interval& part : Plan::of_tile(segment.cuts(l)[0], tile))
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
  const auto group = std::ranges::find_if(of.tiling->groups,
                                          [tile](const Plan::Group& g) { return g.has(0, tile); });
  std::vector<Footprint> made(chain.fields.size());
  const std::vector<Interval> full = accessed(chain, of, tile);
  const auto neighbour = [&](int other) {
    return group->has(0, other) ? accessed(chain, of, other)
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

}  // namespace Atoll::stencil
