// Bytes that loops read and write.
#include "stencil/traffic.hpp"

#include <algorithm>

namespace Atoll::stencil {

std::uint64_t bytes_of(const Chain& chain, const ChainLoop& loop) {
  std::uint64_t bytes = 0;
  for (const ChainAccess& access : loop.accesses) {
    const ChainField& field = chain.fields[static_cast<std::size_t>(access.field)];
    Range range = loop.range;
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      if (field.flat[d]) range.hi[d] = std::min(range.hi[d], range.lo[d] + 1);
    const bool both =
        access.access == AccessMode::read_write || access.access == AccessMode::increment;
    bytes += static_cast<std::uint64_t>(range.points()) * field.point_bytes * (both ? 2 : 1);
  }
  return bytes;
}

}  // namespace Atoll::stencil
