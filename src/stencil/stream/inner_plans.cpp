// Plans of inner chains.
#include "stencil/stream/inner_plans.hpp"

#include <utility>

namespace Atoll::stencil {
namespace {

std::vector<TileSize> sizes_of(const InnerChain& inner, const PlanOptions& options,
                               const CacheFigures& caches) {
  if (options.mode != Mode::tiled || !options.tile.chosen()) return {options.tile};
  return choose_tiles(inner.chain, caches, options.threads);
}

}  // namespace

InnerPlan::InnerPlan(const InnerChain& inner, const PlanOptions& options,
                     const CacheFigures& caches)
    : inner_(inner), options_(options), tuner_(sizes_of(inner, options, caches)) {}

const Plan& InnerPlan::plan(Tilings& tilings) {
  const auto known = plans_.find(tuner_.now());
  if (known != plans_.end()) return known->second;
  options_.tile = tuner_.size();
  return plans_.emplace(tuner_.now(), make_plan(inner_.chain, options_, tilings)).first->second;
}

void InnerPlan::ran(double seconds) {
  // The first run is slowed down by cold memory and cold code.
  if (std::exchange(ran_before_, true)) tuner_.ran(seconds, true);
}

InnerPlan& InnerPlans::of(const InnerChain& inner) {
  return plans_.try_emplace(&inner, inner, options_, caches_).first->second;
}

}  // namespace Atoll::stencil
