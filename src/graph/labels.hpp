// Puts nodes' names into a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/state.hpp"

namespace Atoll::graph {

/// Returns the number of labels in a file, which has one on each line. Throws Error (input) if it
/// can't be read, or has a line of more than 1 MiB.
[[nodiscard]] std::uint64_t count_labels(const std::string& path);
/// `labels` has one for each node.
void set_labels(Graph::State& state, const std::vector<std::string>& labels);

}  // namespace Atoll::graph
