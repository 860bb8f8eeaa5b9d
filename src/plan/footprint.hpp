// Footprint of a layout: the bytes of whole pages on each memory. Checks of capacity use it, and
// each memory's share of the accesses is proportional to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll::detail {

/// (node, bytes), ascending by node. Each node occurs once, and all bytes are above 0.
using Footprint = std::vector<std::pair<NodeId, std::uint64_t>>;

/// Returns the footprint of an array of `bytes`, summed over all copies. The last page of each
/// piece counts as a whole one. `element_bytes` is the unit of a partition's bounds.
[[nodiscard]] Footprint footprint(const Layout& layout, std::uint64_t bytes,
                                  std::uint32_t element_bytes = 1);

/// Returns the number of runs of equal nodes.
[[nodiscard]] std::size_t runs(const std::vector<NodeId>& nodes);

/// False for the memory of a GPU, which isn't suitable for data that the processors' threads
/// access.
[[nodiscard]] inline bool holds_arrays(const MemoryNode& memory) {
  return memory.tier != "gpu";
}

/// Greater than any memory, and small enough that sums don't overflow.
inline constexpr std::uint64_t kNoKnownLimit = std::uint64_t{1} << 52;

/// Returns the bytes of a memory that arrays may use. A memory of unknown capacity has
/// kNoKnownLimit.
[[nodiscard]] inline std::uint64_t free_bytes(const MemoryNode& memory) {
  if (!holds_arrays(memory)) return 0;
  const bool known = memory.capacity_bytes > 0;
  return memory.free_bytes.value_or(known ? memory.capacity_bytes : kNoKnownLimit);
}

/// Returns the bytes of a memory that arrays may use in pages of this size. Pools are separate from
/// all other memory.
[[nodiscard]] inline std::uint64_t free_bytes(const MemoryNode& memory, PageSize pages) {
  if (!from_pool(pages)) return free_bytes(memory);
  if (!holds_arrays(memory)) return 0;
  return (pages == PageSize::pool_1g ? memory.free_1g_pages : memory.free_2m_pages) *
         page_bytes(pages);
}

/// Returns a + b, at most 2^64-1.
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

/// Returns the bytes of all memories together that arrays may use in pages of this size.
[[nodiscard]] inline std::uint64_t free_in_all(const Machine& machine, PageSize pages) {
  std::uint64_t sum = 0;
  for (const MemoryNode& memory : machine.memories())
    sum = saturating_add(sum, free_bytes(memory, pages));
  return from_pool(pages) ? sum : std::min(sum, machine.free_bytes().value_or(sum));
}

}  // namespace Atoll::detail
