// Skew of a chain, loop by loop.
#pragma once

#include <array>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/bands.hpp"

namespace Atoll::stencil {

/// Follows the bound between two tiles, initially in the middle of the mesh, in each dimension: it
/// moves down where a loop depends on the tile after it.
class SkewMeter {
 public:
  explicit SkewMeter(const Chain& chain) : chain_(chain) { restart(); }

  /// Forgets all loops.
  void restart();
  /// Adds the next loop and returns the skew of all loops so far.
  const Skew& add(const ChainLoop& loop);

 private:
  /// End of the first of two tiles on a field, in one dimension: from `wrote` on, the second tile
  /// was the last to write the points; from `read` on, the second tile has read them since.
  struct Bound {
    int wrote = kMaxExtent, read = kMaxExtent;
  };
  void add_along(const ChainLoop& loop, std::size_t d);

  const Chain& chain_;
  std::array<std::vector<Bound>, kMaxDimensions> bounds_;  ///< by field
  Skew skew_{};
};

}  // namespace Atoll::stencil
