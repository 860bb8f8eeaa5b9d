// Tilings that are known already.
#include "stencil/tilings.hpp"

#include "atoll/base/hash.hpp"

namespace Atoll::stencil {

std::uint64_t Tilings::hash_of(const Chain& segment, const PlanOptions& options) {
  std::uint64_t hash = segment.loops.size();
  const auto add = [&](int a, int b) {
    hash = hash_more(
        hash, std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b));
  };
  for (const int points : options.tile.points) add(points, static_cast<int>(options.mode));
  for (const ChainLoop& loop : segment.loops) {
    for (std::size_t d = 0; d < kMaxDimensions; ++d) add(loop.range.lo[d], loop.range.hi[d]);
    for (const ChainAccess& access : loop.accesses) {
      add(access.field, static_cast<int>(access.access));
      for (std::size_t d = 0; d < kMaxDimensions; ++d)
        add(access.stencil.lo()[d], access.stencil.hi()[d]);
    }
  }
  return hash;
}

void Tilings::evict() {
  std::erase_if(known_, [](const auto& known) { return known.second.tiling.use_count() == 1; });
}

std::uint64_t Tilings::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [hash, known] : known_) {
    const Plan::Tiling& tiling = *known.tiling;
    bytes += sizeof tiling + tiling.groups.size() * sizeof(Plan::Group) +
             tiling.loops.size() * sizeof(Plan::Cuts);
    for (const Plan::Group& group : tiling.groups) bytes += group.after.size() * sizeof(int);
    for (const Plan::Cuts& cuts : tiling.loops)
      for (const Plan::Cut& cut : cuts) bytes += cut.bytes();
  }
  return bytes;
}

}  // namespace Atoll::stencil
