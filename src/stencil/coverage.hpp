// Coverage of the points that a chain reads by the points that it has written before.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// A set of points, stored as disjoint boxes.
class Points {
 public:
  void add(const Range& range);
  void add(const Points& others);
  /// Removes all points, and keeps the memory.
  void clear() { boxes_.clear(); }
  /// True if the set contains all points of the range.
  [[nodiscard]] bool cover(const Range& range) const;

 private:
  std::vector<Range> boxes_;
};

/// Returns the points of a field that a loop reads or writes: the hull over the stencil, clipped to
/// the field.
[[nodiscard]] Range region_of(const Chain& chain, const ChainLoop& loop, const ChainAccess& access,
                              bool reads);

/// Points of the temporary fields of a chain.
struct TemporaryPoints {
  /// A loop that reads a temporary field at points that the chain hasn't written before.
  struct Need {
    int loop = 0, field = 0;  ///< indices in the chain
    Range range;
  };
  std::vector<Need> needs;
  std::vector<Points> written;  ///< by field
};
[[nodiscard]] TemporaryPoints temporary_points(const Chain& chain);

/// Throws Error (input) if the chain has needs.
void check_temporaries(const Chain& chain);
/// Throws Error (input): the loop reads a temporary field that has no content.
[[noreturn]] void refuse_temporary(const Chain& chain, const TemporaryPoints::Need& need);

}  // namespace Atoll::stencil
