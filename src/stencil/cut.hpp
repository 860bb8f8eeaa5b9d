// The bounds of tiles in one level: for each loop of a segment, which coordinates each tile runs.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/labels.hpp"

namespace Atoll::stencil {

/// The dimension of a mesh that a level stands for; -1 if the mesh hasn't so many.
[[nodiscard]] int dimension_of(const ChainMesh& mesh, int level);

/// Cuts the loops [first, end) of the chain into tiles of the plan's size: sets their cuts of this
/// level there, and returns the tiles' labels, ascending, so that the tiles' numbers are positions
/// there. Every dependence between two loops leads from a tile to itself or to one that comes after
/// it, so that levels can be cut each for itself.
[[nodiscard]] std::vector<Label> cut_level(const Chain& chain, int first, int end, int level,
                                           int bands, Plan& plan);

}  // namespace Atoll::stencil
