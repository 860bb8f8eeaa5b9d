// Stores node labels in a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/state.hpp"

namespace Atoll::graph {

/// Returns the number of labels in a file with one label a line. Throws Error (input) if the file
/// can't be read, or if a line is longer than 1 MiB.
[[nodiscard]] std::uint64_t count_labels(const std::string& path);
/// `labels` has one label for each node.
void set_labels(Graph::State& state, const std::vector<std::string>& labels);

}  // namespace Atoll::graph
