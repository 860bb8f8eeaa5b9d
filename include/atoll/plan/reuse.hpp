// Estimates the cache and TLB misses of tasks in a given order, so that orders are compared before
// anything runs.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Cache sizes of one core. 0 bytes or entries: there is none, and nothing is estimated for it.
struct ReuseCaches {
  std::uint64_t line_bytes = 64;
  std::uint64_t cache_bytes = 0;
  std::uint64_t tlb_entries = 0;
  std::uint64_t page_bytes = 4096;
  /// Bytes of other data, used once, of each access: a sparse matrix's entries pass through the
  /// caches along with the vector that they index. They don't count in the TLB.
  double streamed_bytes = 0;
  /// If true, caches contain the data of a previous identical run, as in all runs but the first.
  bool are_warm = false;
};

/// Estimated misses of running all tasks once in an order.
struct ReuseEstimate {
  double line_misses = 0;
  /// Part of line_misses: lines whose predecessor was used shortly before. Processors prefetch
  /// them, so they cost bandwidth rather than latency.
  double streamed_lines = 0;
  double tlb_misses = 0;
  friend bool operator==(const ReuseEstimate&, const ReuseEstimate&) = default;
};

/// Positions of locations, in units of location_bytes. Empty `begins`: location l at l. Empty
/// `sizes`: one unit each.
struct LocationPlaces {
  std::span<const std::uint32_t> begins = {};
  std::span<const std::uint32_t> sizes = {};
};

/// Returns the misses of one run through all tasks of `order`, each through its locations as they
/// are listed, from empty caches or warm ones. Caches are fully associative with LRU replacement.
/// The result is exact up to some millions of accesses and for small caches. Beyond that, a sample
/// of the lines runs through a cache that is smaller in proportion. Time: O(lines accessed).
[[nodiscard]] ReuseEstimate estimate_reuse(const TaskLocations& tasks,
                                           std::span<const std::uint32_t> order,
                                           std::uint32_t location_bytes, const ReuseCaches& caches,
                                           const LocationPlaces& lie = {});

}  // namespace Atoll
