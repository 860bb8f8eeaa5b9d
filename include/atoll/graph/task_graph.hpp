// Files with graphs as graphs of tasks: vertices are tasks, and edges join tasks that share data.
#pragma once

#include <string>

#include "atoll/graph/graph.hpp"
#include "atoll/plan/affinity_graph.hpp"

namespace Atoll::graph {

/// The edge value in Atoll's graph files that states how much data two tasks share.
inline constexpr const char* kShareWeight = "weight";

/// Reads a METIS graph as read_metis_graph() does, or Atoll's graph file. The content determines
/// the format. "-" is standard input, for METIS graphs only.
[[nodiscard]] AffinityGraph read_task_graph(const std::string& path);

/// Converts a directed graph's nodes to tasks of equal work. Two nodes with an edge in either
/// direction share the amount in the edge's value "weight" (the greatest of several edges), or 1
/// without such a value. Self-loops are ignored. Throws Error (input) that names `where` unless
/// weights are integers from 1 to 2^32 - 1, or if there are more than 2^32 - 2 nodes.
[[nodiscard]] AffinityGraph task_graph_of(const Graph& graph, const std::string& where);

}  // namespace Atoll::graph
