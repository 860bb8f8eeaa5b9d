// Graphs in files as graphs of tasks: a vertex is a task, and an edge joins two that share.
#pragma once

#include <string>

#include "atoll/graph/graph.hpp"
#include "atoll/plan/affinity_graph.hpp"

namespace Atoll::graph {

/// The edges' value in Atoll's graph files that says how much two tasks share.
inline constexpr const char* kShareWeight = "weight";

/// Reads a METIS graph as read_metis_graph() does, or one of Atoll's graph files, told by content;
/// "-" is standard input, for METIS graphs.
[[nodiscard]] AffinityGraph read_task_graph(const std::string& path);

/// A directed graph's nodes as tasks of equal work. Two nodes with an edge, whatever its direction,
/// share as much as the edge's value "weight" says (the largest of several edges), or 1 without
/// such a value. Self-loops don't count. Throws Error (input), naming `where`, for weights that
/// aren't whole numbers from 1 to 2^32 - 1, and for more nodes than 2^32 - 2.
[[nodiscard]] AffinityGraph task_graph_of(const Graph& graph, const std::string& where);

}  // namespace Atoll::graph
