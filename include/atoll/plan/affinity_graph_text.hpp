// Affinity graphs as other programs read them [affinity §2.2].
#pragma once

#include <string>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Writes the graph for Graphviz: a node for each vertex, by its number; edges with their weights.
void write_dot(const AffinityGraph& graph, const std::string& path);

/// Writes the graph for METIS and Chaco: vertices count from 1, edges have weights, vertices too if
/// they differ.
void write_metis(const AffinityGraph& graph, const std::string& path);

}  // namespace Atoll
