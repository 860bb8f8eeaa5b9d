// What a plan costs that puts an object into pages of 4 KiB: without a plan, the system gives it
// pages of 2 MiB, which are mapped at once and miss the TLB less.
#pragma once

#include "profile/predicted_time.hpp"

namespace Atoll::profile {

class SmallPages {
 public:
  SmallPages(const trace::Recording& run, const Machine& machine);

  /// True if the object has such a page.
  [[nodiscard]] static bool has_huge(const trace::Object& object);
  /// Adds the cost of mapping the page of this row, by a thread of `node`.
  void add_fault(PhasedTraffic& to, const MemoryTraffic& memory, std::size_t row,
                 std::size_t node) const;
  /// Adds the cost of page walks for the row's traffic.
  void add_walks(PhasedTraffic& to, const MemoryTraffic& memory, std::size_t row) const;

 private:
  double fault_ = 0, stream_ = 0, random_ = 0;  ///< seconds for a page; for a line
};

}  // namespace Atoll::profile
