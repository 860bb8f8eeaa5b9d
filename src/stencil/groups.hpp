// Which tiles one thread runs, and after which others: bands, the gaps between them, and what is
// left of each level, multiplied.
#pragma once

#include <array>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/labels.hpp"

namespace Atoll::stencil {

/// The groups of a segment whose levels' tiles have these labels, ascending, with `grid` bands in
/// the levels. Each comes behind those that it waits for.
[[nodiscard]] std::vector<Plan::Group> groups_of(
    const std::array<std::vector<Label>, kMaxDimensions>& labels, const Grid& grid, int threads);

/// The grids with bands in y, too, that may be worth a plan, the best first: those whose bands are
/// longer than the gaps that a chain of such skew makes. Rows are never cut: that nearly doubles
/// the time of a point.
[[nodiscard]] std::vector<Grid> grids_for(const Chain& chain, int threads);

/// How many bands a level can have: as many as the shortest mesh has rows there.
[[nodiscard]] int most_bands(const Chain& chain, std::size_t level, int threads);

}  // namespace Atoll::stencil
