// Division of a chain into segments.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// Returns the segments, without tilings. A segment ends where the skew of its loops would be too
/// large for the tiles or, with several threads, for their bands; among the possible ends, where
/// the fewest bytes are live. Without tiles, each loop is a segment.
[[nodiscard]] std::vector<Plan::Segment> split(const Chain& chain, const PlanOptions& options);

/// The same for a given maximum of the skew.
[[nodiscard]] std::vector<Plan::Segment> split(const Chain& chain, const Skew& limit);

/// Returns the loops [first, end) as a chain of its own. Meshes and fields are numbered in the
/// order of their first use, and have no names, so that segments which are planned alike are equal.
[[nodiscard]] Chain part_of(const Chain& chain, int first, int end);

}  // namespace Atoll::stencil
