// Bounds of tiles in one level: for each loop of a segment, the coordinates that each tile runs.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/labels.hpp"

namespace Atoll::stencil {

/// Returns the dimension of a mesh that corresponds to a level; -1 if the mesh has too few
/// dimensions.
[[nodiscard]] int dimension_of(const ChainMesh& mesh, int level);

/// Cuts the loops of the chain into tiles in one level. Stores the cuts in `cuts`, which has one
/// element for each loop, and returns the tiles' labels in ascending order; the position of a label
/// is the number of its tile. Every dependence between two loops leads from a tile to itself or to
/// a later one, so that levels can be cut independently.
[[nodiscard]] std::vector<Label> cut_level(const Chain& chain, int level, int bands,
                                           const TileSize& tile, std::vector<Plan::Cuts>& cuts);

}  // namespace Atoll::stencil
