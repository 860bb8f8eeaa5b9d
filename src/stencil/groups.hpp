// Assignment of tiles to groups and threads, with the order between groups: the product of bands,
// gaps and the remainder of each level.
#pragma once

#include <array>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/labels.hpp"

namespace Atoll::stencil {

/// Returns the groups of a segment. `labels` are the ascending labels of the tiles in each level,
/// `grid` the numbers of bands. Each group comes after the groups that it waits for.
[[nodiscard]] std::vector<Plan::Group> groups_of(
    const std::array<std::vector<Label>, kMaxDimensions>& labels, const Grid& grid, int threads);

/// Returns grids with bands also in y that may be faster, most promising first: those whose bands
/// are longer than the gaps caused by the chain's skew. Rows (x) are never cut, because that nearly
/// doubles the time of a point.
[[nodiscard]] std::vector<Grid> grids_for(const Chain& chain, int threads);

/// Returns the maximum number of bands of a level: the number of rows of the shortest mesh.
[[nodiscard]] int most_bands(const Chain& chain, std::size_t level, int threads);

}  // namespace Atoll::stencil
