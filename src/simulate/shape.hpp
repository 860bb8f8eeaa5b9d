// Properties of a machine that decide which accesses hit: sizes, associativity, sharing. Durations
// are in timing.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace Atoll::simulate {

/// Page sizes, as indices.
enum class PageClass : std::uint8_t { small, huge, gigantic };
inline constexpr int kPageClasses = 3;
inline constexpr std::array<int, kPageClasses> kPageBits{12, 21, 30};

/// Size of a cache or TLB: `entries` entries in sets of `ways`.
struct CacheShape {
  std::uint64_t entries = 0, ways = 1;
};

/// Position of a processing unit: the instances that it uses, each counted from 0.
struct HardwareThread {
  std::uint32_t core = 0;  ///< core, with its level 1 cache and TLBs
  std::uint32_t l2 = 0;
  std::uint32_t chip = 0;  ///< domain of a level 3 cache; without one, a node
  std::uint32_t node = 0;  ///< index among the machine's initiators
};

/// A cache in front of a memory.
struct MemorySideShape {
  CacheShape cache;   ///< 0 entries: there is none
  int line_bits = 0;  ///< log2 of its line size divided by the line size of the processor's caches
};

struct Shape {
  int line_bits = 6;
  std::uint32_t cores = 1, l2s = 1, chips = 1;
  std::vector<std::uint32_t> chip_of_l2, node_of_chip;  ///< node as in HardwareThread
  CacheShape l1{512, 8}, l2{4096, 8}, l3{};             ///< l3 with 0 entries: there is none
  bool l3_is_inclusive = false;  ///< else it holds only lines that the level 2 caches evict
  std::array<CacheShape, kPageClasses> tlb1, tlb2;
  std::uint64_t walk_cache = 32;  ///< entries per level of page tables above the lowest
  std::uint32_t prefetch_streams = 16, prefetch_distance = 16;
  /// Streams end at a 4 KiB boundary (0), at the end of the page (1) or nowhere (2).
  std::uint32_t prefetch_crosses = 0;
  std::uint32_t memories = 1;
  std::uint32_t open_rows = 16;              ///< of each controller
  std::uint32_t row_bits = 13;               ///< log2 of the bytes of a row, over all channels
  std::vector<MemorySideShape> memory_side;  ///< by memory; empty if no memory has such a cache
};

}  // namespace Atoll::simulate
