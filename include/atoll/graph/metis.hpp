// Graphs as METIS and Chaco have them in files: a line for each vertex, with its weights and its
// neighbours, after a line "vertices edges [format [constraints]]".
#pragma once

#include <string>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll::graph {

/// Reads a METIS graph with its weights, packed or not; "-" is standard input. Throws Error (input)
/// that names file and line for one that isn't as METIS wants it (each edge in both vertices' lines
/// and with the same weight, no edge twice, none to oneself), and for one with several weights a
/// vertex. Sizes of vertices are left out.
[[nodiscard]] AffinityGraph read_metis_graph(const std::string& path);

/// Writes what read_metis_graph() reads. Weights that are all 1 aren't written.
void write_metis_graph(const AffinityGraph& graph, const std::string& path);

}  // namespace Atoll::graph
