// Statistical figures of a graph.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/graph/graph.hpp"

namespace Atoll::graph {

/// The result of describe().
struct Figures {
  std::uint64_t max_out_degree = 0;
  std::uint64_t max_in_degree = 0;
  std::uint64_t dangling = 0;  ///< nodes without out-edges
  std::uint64_t isolated = 0;  ///< nodes without any edge
  std::uint64_t self_loops = 0;
  std::uint64_t duplicates = 0;  ///< edges beyond the first with the same ends
  bool symmetric = true;         ///< each edge has a reverse edge
  /// Histogram of out-degrees: [0] counts degree 0, [k] degrees 2^(k-1) … 2^k - 1.
  std::vector<std::uint64_t> out_degrees;
};

/// Computes the figures. Builds r_begin if it is missing.
[[nodiscard]] Figures describe(Graph& graph, const Team& team);

/// The result of weak_components().
struct Components {
  std::uint64_t count = 0;
  std::uint64_t largest = 0;  ///< nodes of the largest component
};

/// Counts weakly connected components, which ignore the direction of edges.
[[nodiscard]] Components weak_components(const Graph& graph);

}  // namespace Atoll::graph
