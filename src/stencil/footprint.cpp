// Figure 2 of the paper: the data of each field that a tile accesses and shares with its
// neighbours.
#include "stencil/footprint.hpp"

#include <algorithm>

#include "stencil/coverage.hpp"
#include "stencil/cut.hpp"
#include "stencil/intervals.hpp"

namespace Atoll::stencil {
namespace {

int field_rows(const Chain& chain, int field, std::size_t d) {
  const Range& whole = chain.fields[static_cast<std::size_t>(field)].whole;
  return whole.hi[d] - whole.lo[d];
}

/// Adds the rows that a loop writes and those that it reads through one address, with the rows
/// between them unless they are at opposite ends of the field, as in periodic().
void add_both(Intervals& set, const Plan::Interval& own, const Plan::Interval& read, int rows) {
  const int gap = std::max(own.lo, read.lo) - std::min(own.hi, read.hi);
  if (read.lo < read.hi && 2 * gap < rows) {
    add(set, {std::min(own.lo, read.lo), std::max(own.hi, read.hi)});
  } else {
    add(set, own);
    add(set, read);
  }
}

}  // namespace

std::vector<TileUse> uses_of_tile(const Chain& chain, const Plan::Segment& segment, int tile) {
  std::vector<TileUse> uses(chain.fields.size());
  for (int l = segment.first; l < segment.end; ++l) {
    ChainLoop within = chain.loops[static_cast<std::size_t>(l)];
    if (within.range.empty()) continue;
    const auto d = static_cast<std::size_t>(
        dimension_of(chain.meshes[static_cast<std::size_t>(within.mesh)], 0));
    for (const Plan::Interval& part : Plan::of_tile(segment.cuts(l)[0], tile)) {
      within.range.lo[d] = part.lo;
      within.range.hi[d] = part.hi;
      for (const ChainAccess& access : within.accesses) {
        TileUse& use = uses[static_cast<std::size_t>(access.field)];
        const auto interval = [&](bool reads) {
          const Range region = region_of(chain, within, access, reads);
          return Plan::Interval{region.lo[d], region.hi[d]};
        };
        if (access.access == AccessMode::read) {
          add(use.accessed, interval(true));
          continue;
        }
        const Plan::Interval own = interval(false);
        add(use.written, own);
        // A loop may write points that its stencil lacks, as boundary conditions do.
        if (access.access == AccessMode::read_write)
          add_both(use.accessed, own, interval(true), field_rows(chain, access.field, d));
        else
          add(use.accessed, own);
      }
    }
  }
  return uses;
}

std::vector<Footprint> footprints(const Chain& chain, const Plan& plan, int segment, int tile) {
  const Plan::Segment& of = plan.segments[static_cast<std::size_t>(segment)];
  const auto group = std::ranges::find_if(of.tiling->groups,
                                          [tile](const Plan::Group& g) { return g.has(0, tile); });
  const std::vector<TileUse> mine = uses_of_tile(chain, of, tile);
  const auto neighbour = [&](int other) {
    return group != of.tiling->groups.end() && group->has(0, other)
               ? uses_of_tile(chain, of, other)
               : std::vector<TileUse>(chain.fields.size());
  };
  const std::vector<TileUse> before = neighbour(tile - 1), after = neighbour(tile + 1);
  std::vector<Footprint> made(chain.fields.size());
  for (std::size_t f = 0; f < made.size(); ++f) {
    const Intervals& full = mine[f].accessed;
    made[f] = {full, common(full, before[f].accessed), common(full, after[f].accessed),
               without(full, after[f].accessed), without(full, before[f].accessed)};
  }
  return made;
}

}  // namespace Atoll::stencil
