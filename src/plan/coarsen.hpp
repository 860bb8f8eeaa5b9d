// Coarsens a graph: pairs of neighbours become one vertex.
#pragma once

#include <vector>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll::detail {

struct Coarse {
  AffinityGraph graph;
  std::vector<std::uint32_t> of;  ///< by vertex: its coarse vertex
};

/// Merges each vertex with the neighbour of the highest rating: the squared edge weight over the
/// neighbour's own weight. Only neighbours that aren't merged yet qualify, and the two together
/// must weigh at most `heaviest`. Weights are summed (up to 2^32 - 1).
[[nodiscard]] Coarse coarsen(const AffinityGraph& graph, std::uint64_t heaviest);

}  // namespace Atoll::detail
