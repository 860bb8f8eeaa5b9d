// Cost of a plan that uses 4 KiB pages for an object. Without a plan, Linux uses 2 MiB pages, which
// have fewer page faults and TLB misses.
#pragma once

#include "profile/predicted_time.hpp"

namespace Atoll::profile {

class SmallPages {
 public:
  SmallPages(const recording::Recording& run, const Machine& machine);

  /// True if the object contains an aligned range of 2 MiB.
  [[nodiscard]] static bool has_huge(const recording::Object& object);
  /// Adds the cost of a page fault for the page of this row, by a thread of `node`.
  void add_fault(PhasedTraffic& to, const MemoryTraffic& memory, std::size_t row,
                 std::size_t node) const;
  /// Adds the cost of page walks for the row's traffic.
  void add_walks(PhasedTraffic& to, const MemoryTraffic& memory, std::size_t row) const;

 private:
  double fault_ = 0, stream_ = 0, random_ = 0;  ///< seconds: page, streamed line, random line
};

}  // namespace Atoll::profile
