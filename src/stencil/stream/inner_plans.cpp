// Plans of inner chains.
#include "stencil/stream/inner_plans.hpp"

namespace Atoll::stencil {
namespace {

std::vector<TileSize> sizes_of(const InnerChain& inner, const PlanOptions& options,
                               const TileCaches& caches) {
  if (options.mode != Mode::tiled || !options.tile.chosen()) return {options.tile};
  return choose_tiles(inner.chain, caches, options.threads);
}

}  // namespace

InnerPlans::InnerPlans(const OuterPlan& outer, const PlanOptions& options, const TileCaches& caches)
    : options_(options) {
  for (const OuterSegment& segment : outer.segments) {
    const InnerChain& middle = *segment.tiles[segment.tiles.size() / 2].inner;
    segments_.push_back({Tuner(sizes_of(middle, options, caches)), &middle});
  }
}

const Plan& InnerPlans::plan(const OuterTile& tile, Tilings& tilings) {
  const Tuner& tuner = segments_[tile.segment].tuner;
  const std::pair key(tile.inner.get(), tuner.now());
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second;
  PlanOptions options = options_;
  options.tile = tuner.size();
  return plans_.emplace(key, make_plan(tile.inner->chain, options, tilings)).first->second;
}

void InnerPlans::ran(const OuterTile& tile, double seconds) {
  Segment& segment = segments_[tile.segment];
  if (tile.inner.get() != segment.middle) return;
  // The first run is slowed down by cold memory and cold code.
  if (std::exchange(segment.ran_before, true)) segment.tuner.ran(seconds, true);
}

}  // namespace Atoll::stencil
