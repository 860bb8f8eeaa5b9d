// The part of a segment in each outer tile, as a chain of its own.
#include "stencil/stream/inner_chain.hpp"

#include <algorithm>

#include "stencil/cut.hpp"
#include "stencil/intervals.hpp"

namespace Atoll::stencil {
namespace {

std::size_t outer_of(const Chain& chain, int mesh) {
  return static_cast<std::size_t>(dimension_of(chain.meshes[static_cast<std::size_t>(mesh)], 0));
}

/// Returns the longest interval in which the tile runs loops. On periodic meshes, the first and the
/// last tile also run loops at the other end.
Plan::Interval main_part(const Chain& part, const Plan::Segment& cut, int number) {
  Intervals all;
  for (int l = cut.first; l < cut.end; ++l)
    if (!part.loops[static_cast<std::size_t>(l)].range.empty())
      add(all, Plan::of_tile(cut.cuts(l)[0], number));
  const auto longest = std::ranges::max_element(
      all, {}, [](const Plan::Interval& interval) { return interval.hi - interval.lo; });
  return longest == all.end() ? Plan::Interval{0, 1} : *longest;
}

}  // namespace

void InnerChains::make(const Plan::Segment& cut, int number, OuterTile& tile) {
  // Threads divide the rows of `main`, which are the inner chain's mesh.
  const Plan::Interval main = main_part(part_, cut, number);
  tile.base = main.lo;
  InnerChain inner;
  inner.chain.meshes = part_.meshes;
  for (int m = 0; m < static_cast<int>(part_.meshes.size()); ++m)
    inner.chain.meshes[static_cast<std::size_t>(m)].interior.hi[outer_of(part_, m)] =
        main.hi - main.lo;
  inner.chain.fields = part_.fields;
  for (std::size_t f = 0; f < part_.fields.size(); ++f) {
    ChainField& field = inner.chain.fields[f];
    const std::size_t d = outer_of(part_, field.mesh);
    if (field.flat[d]) continue;
    field.temporary = false;  // the tile before may have written it
    const Intervals& rows = tile.fields[f].accessed;
    field.whole.lo[d] = rows.empty() ? 0 : rows.front().lo - main.lo;
    field.whole.hi[d] = rows.empty() ? 1 : rows.back().hi - main.lo;
  }
  for (int l = cut.first; l < cut.end; ++l) {
    const ChainLoop& loop = part_.loops[static_cast<std::size_t>(l)];
    if (loop.range.empty()) continue;
    const std::size_t d = outer_of(part_, loop.mesh);
    for (const Plan::Interval& rows : Plan::of_tile(cut.cuts(l)[0], number)) {
      ChainLoop& made = inner.chain.loops.emplace_back(loop);
      made.range.lo[d] = rows.lo - main.lo;
      made.range.hi[d] = rows.hi - main.lo;
      inner.loops.push_back(first_ + l);
    }
  }
  const auto known =
      std::ranges::find_if(known_, [&](const auto& other) { return *other == inner; });
  if (known == known_.end()) {
    known_.push_back(std::make_shared<const InnerChain>(std::move(inner)));
    tile.inner = known_.back();
  } else {
    tile.inner = *known;
  }
}

}  // namespace Atoll::stencil
