// Graphs in the file format of METIS and Chaco: a line "vertices edges [format [constraints]]",
// then a line for each vertex with its weights and neighbours.
#pragma once

#include <string>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll::graph {

/// Reads a METIS graph with its weights, packed or not; "-" is standard input. Sizes of vertices
/// are ignored. Throws Error (input) that names file and line if the graph isn't valid for METIS:
/// each edge must be in both vertices' lines with the same weight, without duplicates and
/// self-loops. Also throws if vertices have several weights.
[[nodiscard]] AffinityGraph read_metis_graph(const std::string& path);

/// Writes the format that read_metis_graph() reads. Omits weights that are all 1.
void write_metis_graph(const AffinityGraph& graph, const std::string& path);

}  // namespace Atoll::graph
