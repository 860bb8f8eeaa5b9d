// The bounds of tiles in one level: for each loop of a segment, which coordinates each tile runs.
#pragma once

#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/labels.hpp"

namespace Atoll::stencil {

/// One level of one segment.
struct LevelCut {
  std::vector<Label> labels;     ///< of the tiles, ascending: the tiles' numbers are positions here
  std::vector<Plan::Cut> loops;  ///< of the segment's loops
};

/// The dimension of a mesh that a level stands for; -1 if the mesh hasn't so many.
[[nodiscard]] int dimension_of(const ChainMesh& mesh, int level);

/// Cuts the loops [first, end) of the chain. Every dependence between two loops leads from a tile
/// to itself or to one that comes after it, so that levels can be cut each for itself.
[[nodiscard]] LevelCut cut_level(const Chain& chain, int first, int end, int level, int bands,
                                 const TileSize& tile);

}  // namespace Atoll::stencil
