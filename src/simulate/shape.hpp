// What of a machine decides which accesses hit: sizes, ways, who shares what. Not how long
// anything takes: that is timing.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace Atoll::simulate {

/// The sizes of pages, as indices.
enum class PageClass : std::uint8_t { small, huge, gigantic };
inline constexpr int kPageClasses = 3;
inline constexpr std::array<int, kPageClasses> kPageBits{12, 21, 30};

/// A cache, or a TLB, of `entries` entries in sets of `ways`.
struct CacheShape {
  std::uint64_t entries = 0, ways = 1;
};

/// Where a processing unit is: instances of what it uses, each counted from 0.
struct Seat {
  std::uint32_t core = 0;  ///< with its level 1 cache and its TLBs
  std::uint32_t l2 = 0;
  std::uint32_t chip = 0;  ///< what a level 3 cache serves; without one, a node
  std::uint32_t node = 0;  ///< position among the machine's initiators
};

/// A cache in front of a memory.
struct MemorySideShape {
  CacheShape cache;   ///< of 0 entries: there is none
  int line_bits = 0;  ///< log2 of its line by the processors' caches' line
};

struct Shape {
  int line_bits = 6;
  std::uint32_t cores = 1, l2s = 1, chips = 1;
  std::vector<std::uint32_t> chip_of_l2, node_of_chip;  ///< node: as in Seat
  CacheShape l1{512, 8}, l2{4096, 8}, l3{};             ///< l3 of 0 entries: there is none
  bool l3_is_inclusive = false;  ///< of what the level 2 caches have; else it has what they drop
  std::array<CacheShape, kPageClasses> tlb1, tlb2;
  std::uint64_t walk_cache = 32;  ///< entries for each level of page tables above the lowest
  std::uint32_t prefetch_streams = 16, prefetch_distance = 16;
  /// Streams end at 4 KiB (0), at the page's end (1), nowhere (2).
  std::uint32_t prefetch_crosses = 0;
  std::uint32_t memories = 1;
  std::uint32_t open_rows = 16;              ///< of a controller
  std::uint32_t row_bits = 13;               ///< log2 of the bytes of a row over all channels
  std::vector<MemorySideShape> memory_side;  ///< by memory; empty: none has such a cache
};

}  // namespace Atoll::simulate
