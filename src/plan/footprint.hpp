// How many bytes of whole pages a layout takes from each memory. Capacity is checked with them, and
// they are the shares of the accesses that each memory serves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll::detail {

/// Bytes by node, ascending. Each node occurs once, and none has zero bytes.
using Footprint = std::vector<std::pair<NodeId, std::uint64_t>>;

/// The footprint of an array of `bytes`, all copies together. The last page of each piece counts as
/// a whole one. `element_bytes` is the unit of a partition's bounds.
[[nodiscard]] Footprint footprint(const Layout& layout, std::uint64_t bytes,
                                  std::uint32_t element_bytes = 1);

/// The number of runs of equal nodes: parts that lie apart.
[[nodiscard]] std::size_t runs(const std::vector<NodeId>& nodes);

/// False for a GPU's memory: it isn't meant for data that the processors' threads reach.
[[nodiscard]] inline bool holds_arrays(const MemoryNode& memory) {
  return memory.tier != "gpu";
}

/// Greater than any memory, and small enough that sums don't overflow.
inline constexpr std::uint64_t kNoKnownLimit = std::uint64_t{1} << 52;

/// How much of a memory arrays may take. Any array fits into a memory of unknown capacity.
[[nodiscard]] inline std::uint64_t free_bytes(const MemoryNode& memory) {
  if (!holds_arrays(memory)) return 0;
  const bool known = memory.capacity_bytes > 0;
  return memory.free_bytes.value_or(known ? memory.capacity_bytes : kNoKnownLimit);
}

/// How much of a memory arrays may take in pages of this size. Pools are apart from all other
/// memory.
[[nodiscard]] inline std::uint64_t free_bytes(const MemoryNode& memory, PageSize pages) {
  if (!from_pool(pages)) return free_bytes(memory);
  if (!holds_arrays(memory)) return 0;
  return (pages == PageSize::pool_1g ? memory.free_1g_pages : memory.free_2m_pages) *
         page_bytes(pages);
}

/// a + b, at most 2^64-1.
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

/// How much of all memories together arrays may take in pages of this size.
[[nodiscard]] inline std::uint64_t free_in_all(const Machine& machine, PageSize pages) {
  std::uint64_t sum = 0;
  for (const MemoryNode& memory : machine.memories())
    sum = saturating_add(sum, free_bytes(memory, pages));
  return from_pool(pages) ? sum : std::min(sum, machine.free_bytes().value_or(sum));
}

}  // namespace Atoll::detail
