// Skew of a chain.
#include "stencil/skew.hpp"

#include <algorithm>

namespace Atoll::stencil {

void SkewMeter::restart() {
  for (std::vector<Bound>& bounds : bounds_) bounds.assign(chain_.fields.size(), {});
  skew_ = {};
}

const Skew& SkewMeter::add(const ChainLoop& loop) {
  for (std::size_t d = 0; d < skew_.size(); ++d) add_along(loop, d);
  return skew_;
}

void SkewMeter::add_along(const ChainLoop& loop, std::size_t d) {
  const int half = chain_.meshes[static_cast<std::size_t>(loop.mesh)].interior.hi[d] / 2;
  // Boundary loops far from the middle move no bounds.
  if (loop.range.empty() || loop.range.lo[d] >= half || loop.range.hi[d] <= half) return;
  const auto bound_of = [&](const ChainAccess& access) -> Bound* {
    const ChainField& field = chain_.fields[static_cast<std::size_t>(access.field)];
    if (field.mesh != loop.mesh || field.flat[d]) return nullptr;
    return &bounds_[d][static_cast<std::size_t>(access.field)];
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
  if (end > loop.range.lo[d]) skew_[d] = std::max(skew_[d], half - end);
}

Skew skew_of(const Chain& chain) {
  SkewMeter meter(chain);
  Skew skew{};
  for (const ChainLoop& loop : chain.loops) skew = meter.add(loop);
  return skew;
}

}  // namespace Atoll::stencil
