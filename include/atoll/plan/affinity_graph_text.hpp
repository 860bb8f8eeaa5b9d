// Writes affinity graphs for Graphviz [affinity §2.2]; graph/metis.hpp writes them for METIS.
#pragma once

#include <string>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Writes the graph for Graphviz: a node for each vertex, with its number; edges with their
/// weights.
void write_dot(const AffinityGraph& graph, const std::string& path);

}  // namespace Atoll
