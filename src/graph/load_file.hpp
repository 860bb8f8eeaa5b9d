// Maps and checks Atoll's graph file.
#pragma once

#include <string_view>

#include "atoll/graph/graph.hpp"
#include "graph/file_format.hpp"
#include "graph/input_file.hpp"

namespace Atoll::graph {

[[nodiscard]] bool is_graph_file(std::string_view head);
/// Reads the file's first bytes only. Throws Error (input) if they aren't as docs/graph-file.md
/// says, or the file is longer or shorter than they say.
[[nodiscard]] FileHead read_head(const InputFile& file);
/// Throws Error (input) if the file isn't as docs/graph-file.md says.
[[nodiscard]] Graph load_file(const InputFile& file, const Team& team);

}  // namespace Atoll::graph
