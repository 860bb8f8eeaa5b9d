// Size of the measurement buffer: well above the caches, so that the memory is measured, and well
// below the available memory.
#pragma once

#include <cstdint>
#include <string>

#include "atoll/machine/machine.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::measure {

/// Returns the total size of all level 2 and 3 caches around a node's processing units, i.e. the
/// part of a shared buffer that they can hold together.
[[nodiscard]] std::uint64_t caches_around(const Machine& machine, NodeId initiator);

struct Buffer {
  std::uint64_t bytes = 0;  ///< 0: not enough memory, see `why_not`
  std::string why_not;
};
/// Plans a buffer on `node` for initiators with `cache_bytes` of caches. For `asked_bytes` = 0 see
/// Options::buffer_bytes.
[[nodiscard]] Buffer plan_buffer(const memory::Available& available, NodeId node,
                                 std::uint64_t cache_bytes, std::uint64_t asked_bytes);

/// True if the caches could hold half of the buffer or more, so that the caches may have been
/// measured.
[[nodiscard]] constexpr bool within_caches(std::uint64_t bytes, std::uint64_t cache_bytes) {
  return bytes < 2 * cache_bytes;
}

}  // namespace Atoll::measure
