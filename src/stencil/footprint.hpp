// Data that a tile of the outermost dimension accesses.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// Coordinates of a field in the outermost dimension that the loops of a tile access.
struct TileUse {
  Intervals accessed;  ///< read or written; no points but these and those between two offsets of
                       ///< one stencil, or between one and the point itself if it is written
  Intervals written;
};
/// Returns one element for each field of the chain.
[[nodiscard]] std::vector<TileUse> uses_of_tile(const Chain& chain, const Plan::Segment& segment,
                                                int tile);

}  // namespace Atoll::stencil
