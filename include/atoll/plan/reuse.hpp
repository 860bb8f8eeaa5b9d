// How often running tasks in an order misses a cache and a TLB: an estimate of what an order is
// worth before anything runs in it.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// 0 bytes or entries: there is none, and nothing is estimated for it.
struct ReuseCaches {
  std::uint64_t line_bytes = 64;
  std::uint64_t cache_bytes = 0;
  std::uint64_t tlb_entries = 0;
  std::uint64_t page_bytes = 4096;
  /// Bytes of other data, used once, that each access brings along: a sparse matrix's entries pass
  /// through the caches beside the vector that they reach. Not in the TLB.
  double streamed_bytes = 0;
  /// The same run has just ended: caches hold what it left, as in all runs but the first.
  bool are_warm = false;
};

/// What running all tasks once in an order is expected to miss.
struct ReuseEstimate {
  double line_misses = 0;
  /// Of these, those of a line whose predecessor was used shortly before: processors fetch them
  /// ahead, so they cost bandwidth rather than latency.
  double streamed_lines = 0;
  double tlb_misses = 0;
  friend bool operator==(const ReuseEstimate&, const ReuseEstimate&) = default;
};

/// Where locations lie, in units of location_bytes. Empty: location l at l; of one unit.
struct LocationPlaces {
  std::span<const std::uint32_t> begins = {};
  std::span<const std::uint32_t> sizes = {};
};

/// The misses of one run through all tasks of `order`, each through its locations as they are
/// listed, from empty caches or warm ones. Caches are fully associative and drop what was used
/// least recently. Exact up to some millions of accesses and for small caches; beyond that, a
/// sample of the lines runs through a cache that is smaller in proportion. Time: O(lines accessed).
[[nodiscard]] ReuseEstimate estimate_reuse(const TaskLocations& tasks,
                                           std::span<const std::uint32_t> order,
                                           std::uint32_t location_bytes, const ReuseCaches& caches,
                                           const LocationPlaces& lie = {});

}  // namespace Atoll
