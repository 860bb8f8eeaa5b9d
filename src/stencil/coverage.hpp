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
  /// Removes points.
  void remove(const Range& range);
  /// Adds the points of `range` whose distance to a point of the set is `offset`, and removes the
  /// others: each becomes a copy of that point.
  void copy(const Range& range, const std::array<int, kMaxDimensions>& offset);
  /// Removes all points, and keeps the memory.
  void clear() { boxes_.clear(); }
  /// True if the set contains all points of the range, or of the other set.
  [[nodiscard]] bool cover(const Range& range) const;
  [[nodiscard]] bool cover(const Points& others) const;
  /// True if the set contains a point of the range.
  [[nodiscard]] bool meets(const Range& range) const;

 private:
  std::vector<Range> boxes_;
};

/// Returns the points of a field that a loop reads or writes: the hull over the stencil, clipped to
/// the field.
[[nodiscard]] Range region_of(const Chain& chain, const ChainLoop& loop, const ChainAccess& access,
                              bool reads);

/// Adds to `written` the points of a field to which the access gives content, and removes those
/// that become copies of points without content. The loop isn't empty.
void record_write(const Chain& chain, const ChainLoop& loop, const ChainAccess& access,
                  Points& written);

/// Points of some fields of a chain.
struct FieldPoints {
  /// A loop that reads a field at points that the chain hasn't written before.
  struct Need {
    int loop = 0, field = 0;  ///< indices in the chain
    Range range;
  };
  std::vector<Need> needs;
  std::vector<Points> written;   ///< by field: those to which the chain gives content
  std::vector<Points> modified;  ///< by field
};
/// Returns the points of the fields for which `wanted` is true.
[[nodiscard]] FieldPoints points_of(const Chain& chain, const std::vector<bool>& wanted);
/// Returns the points of the temporary fields.
[[nodiscard]] FieldPoints temporary_points(const Chain& chain);

/// Throws Error (input) if the chain has needs.
void check_temporaries(const Chain& chain);
/// Throws Error (input): the loop reads a temporary field that has no content.
[[noreturn]] void refuse_temporary(const Chain& chain, const FieldPoints::Need& need);

}  // namespace Atoll::stencil
