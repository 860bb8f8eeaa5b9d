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
/// Reads only the file head. Throws Error (input) if the head violates docs/graph-file.md, or if
/// the file's length differs from the length in the head.
[[nodiscard]] FileHead read_head(const InputFile& file);
/// The parts of a graph file that are read without its large sections.
struct FileSummary {
  GraphSize size;
  std::vector<std::string> value_names;
};
/// Returns the summary of a graph file, or std::nullopt for any other file.
[[nodiscard]] std::optional<FileSummary> summary_of(const std::string& path);
/// Returns the summary of a graph file.
[[nodiscard]] FileSummary summary_of(const InputFile& file);
/// Throws Error (input) if the file violates docs/graph-file.md.
[[nodiscard]] Graph load_file(const InputFile& file, const Team& team);

}  // namespace Atoll::graph
