// Makes a graph smaller: pairs of neighbours become one vertex.
#pragma once

#include <vector>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll::detail {

struct Coarse {
  AffinityGraph graph;
  std::vector<std::uint32_t> of;  ///< the coarse vertex of each vertex
};

/// Unites each vertex with the neighbour that it shares most with for that neighbour's own weight,
/// among those that are still single and together weigh no more than `heaviest`. Weights add up (to
/// 2^32 - 1 at most).
[[nodiscard]] Coarse coarsen(const AffinityGraph& graph, std::uint64_t heaviest);

}  // namespace Atoll::detail
