// Generates synthetic graphs: the same graph for a seed on every machine and with any number of
// threads.
#pragma once

#include <cstdint>

#include "atoll/graph/graph.hpp"

namespace Atoll::graph {

/// The kind of graph to make.
struct GenerateOptions {
  int scale = 16;           ///< 2^scale nodes, 1 to 40
  double edge_factor = 16;  ///< edges drawn: edge_factor * nodes
  std::uint64_t seed = 1;
  bool symmetrise = true;
  bool deduplicate = true;  ///< self-loops are removed too
  bool permute = true;      ///< node ids are shuffled
  bool wide_ids = false;
  double a = 0.57, b = 0.19, c = 0.19;  ///< R-MAT only: Graph500's quadrant probabilities
};

/// Makes an R-MAT graph with Graph500's parameters.
[[nodiscard]] Graph generate_rmat(const GenerateOptions& options, const Team& team);
/// Draws both ends of every edge uniformly.
[[nodiscard]] Graph generate_uniform(const GenerateOptions& options, const Team& team);

}  // namespace Atoll::graph
