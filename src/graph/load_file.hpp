// Maps and checks Atoll's graph file.
#pragma once

#include <string_view>

#include "atoll/graph/graph.hpp"
#include "graph/input_file.hpp"

namespace Atoll::graph {

[[nodiscard]] bool is_graph_file(std::string_view head);
/// Throws Error (input) if the file isn't as docs/graph-file.md says.
[[nodiscard]] Graph load_file(const InputFile& file, const Team& team);

}  // namespace Atoll::graph
