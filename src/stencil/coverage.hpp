// Coverage of the points that a chain reads by the points that it has written before.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// A set of points, stored as disjoint boxes.
class Points {
 public:
  void add(const Range& range);
  /// True if the set contains all points of the range.
  [[nodiscard]] bool cover(const Range& range) const;

 private:
  std::vector<Range> boxes_;
};

/// Returns the points of a field that a loop reads or writes: the hull over the stencil, clipped to
/// the field.
[[nodiscard]] Range region_of(const Chain& chain, const ChainLoop& loop, const ChainAccess& access,
                              bool reads);

/// Throws Error (input) if a temporary field is read at points that the chain hasn't written.
void check_temporaries(const Chain& chain);

}  // namespace Atoll::stencil
