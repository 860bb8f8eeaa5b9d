// What of a field a chain has written when it reads it.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// A set of points as boxes that don't overlap.
class Points {
 public:
  void add(const Range& range);
  /// True if all points of the range are in the set.
  [[nodiscard]] bool cover(const Range& range) const;

 private:
  std::vector<Range> boxes_;
};

/// The points that a loop reads, or writes, of a field: the hull over the stencil, within the
/// field.
[[nodiscard]] Range region_of(const Chain& chain, const ChainLoop& loop, const ChainAccess& access,
                              bool reads);

/// Throws Error (input) if a temporary field is read where the chain hasn't written it.
void check_temporaries(const Chain& chain);

}  // namespace Atoll::stencil
