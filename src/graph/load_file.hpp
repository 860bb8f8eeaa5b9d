// Maps and checks Atoll's graph file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "graph/file_format.hpp"
#include "graph/input_file.hpp"

namespace Atoll::graph {

[[nodiscard]] bool is_graph_file(std::string_view head);
/// Reads the file's first bytes only. Throws Error (input) if they aren't as docs/graph-file.md
/// says, or the file is longer or shorter than they say.
[[nodiscard]] FileHead read_head(const InputFile& file);
/// The parts of a graph file that are read without its large sections.
struct FileSummary {
  GraphSize size;
  std::vector<std::string> value_names;
};
/// Returns the summary of a graph file; nothing for any other file, which is left as it is.
[[nodiscard]] std::optional<FileSummary> summary_of(const std::string& path);
/// The summary of a graph file.
[[nodiscard]] FileSummary summary_of(const InputFile& file);
/// Throws Error (input) if the file isn't as docs/graph-file.md says.
[[nodiscard]] Graph load_file(const InputFile& file, const Team& team);

}  // namespace Atoll::graph
