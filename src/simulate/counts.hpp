// Event counts of caches, TLBs and the directory.
#pragma once

#include <cstdint>

namespace Atoll::simulate {

/// Counts over all caches of a level.
struct Counts {
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0;
  std::uint64_t tlb1_misses = 0, tlb2_misses = 0;  ///< all page sizes together
  std::uint64_t transfers_near = 0, transfers_far = 0, upgrades_near = 0, upgrades_far = 0;
  std::uint64_t write_backs = 0, prefetches = 0, prefetches_from_memory = 0;
  /// Over all caches in front of memories: line reads and write-backs that reached them; requests
  /// that missed; lines read from their memories; lines written back to their memories.
  std::uint64_t memory_side_requests = 0, memory_side_misses = 0, memory_side_fills = 0,
                memory_side_write_backs = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
  /// Adds the difference `now` - `before`.
  void add(const Counts& now, const Counts& before) {
    for (const auto member :
         {&Counts::l1_misses, &Counts::l2_misses, &Counts::l3_misses, &Counts::tlb1_misses,
          &Counts::tlb2_misses, &Counts::transfers_near, &Counts::transfers_far,
          &Counts::upgrades_near, &Counts::upgrades_far, &Counts::write_backs, &Counts::prefetches,
          &Counts::prefetches_from_memory, &Counts::memory_side_requests,
          &Counts::memory_side_misses, &Counts::memory_side_fills,
          &Counts::memory_side_write_backs})
      this->*member += now.*member - before.*member;
  }
};

}  // namespace Atoll::simulate
