// How much memory to measure in: well beyond the caches, so that the caches aren't measured
// instead, and never near the end of what is available.
#pragma once

#include <cstdint>
#include <string>

#include "atoll/machine/machine.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::measure {

/// The sum of all second and third level caches around a node's processing units: what they can
/// hold together of a buffer that they all stream through.
[[nodiscard]] std::uint64_t caches_around(const Machine& machine, NodeId initiator);

struct Buffer {
  std::uint64_t bytes = 0;  ///< 0: there isn't enough room, see `why_not`
  std::string why_not;
};
/// Plans a buffer on `node`, for initiators with `cache_bytes` of caches. For `asked_bytes` = 0 see
/// Options.
[[nodiscard]] Buffer plan_buffer(const memory::Available& available, NodeId node,
                                 std::uint64_t cache_bytes, std::uint64_t asked_bytes);

/// True if the caches could hold half of a buffer or more, so that figures may be the caches'.
[[nodiscard]] constexpr bool within_caches(std::uint64_t bytes, std::uint64_t cache_bytes) {
  return bytes < 2 * cache_bytes;
}

}  // namespace Atoll::measure
