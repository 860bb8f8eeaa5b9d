// Puts nodes' names into a graph.
#pragma once

#include <string>
#include <vector>

#include "graph/state.hpp"

namespace Atoll::graph {

/// `labels` has one for each node.
void set_labels(Graph::State& state, const std::vector<std::string>& labels);

}  // namespace Atoll::graph
