// Generates synthetic graphs. A seed gives the same graph on every machine and with any number of
// threads.
#pragma once

#include <cstdint>

#include "atoll/graph/graph.hpp"

namespace Atoll::graph {

/// Parameters of the generators.
struct GenerateOptions {
  int scale = 16;           ///< 2^scale nodes, 1 to 40
  double edge_factor = 16;  ///< number of generated edges divided by the number of nodes
  std::uint64_t seed = 1;
  bool symmetrise = true;
  bool deduplicate = true;  ///< self-loops are removed too
  bool permute = true;      ///< node ids are shuffled
  bool wide_ids = false;
  double a = 0.57, b = 0.19, c = 0.19;  ///< R-MAT only: Graph500's quadrant probabilities
};

/// Makes an R-MAT graph with Graph500's parameters.
[[nodiscard]] Graph generate_rmat(const GenerateOptions& options, const Team& team);
/// Makes a graph whose edges have both ends uniformly distributed.
[[nodiscard]] Graph generate_uniform(const GenerateOptions& options, const Team& team);

}  // namespace Atoll::graph
