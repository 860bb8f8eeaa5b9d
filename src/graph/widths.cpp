// Determines the widths of a graph's ids before the graph is loaded. An edge takes at least 4 bytes
// of a text ("0 1" and a line break), and ids are renumbered unless most of them have an edge. A
// text below 4 GiB therefore never needs 64-bit ids, unless its format declares the number of
// nodes.
#include <filesystem>
#include <string>

#include "graph/dimacs_text.hpp"
#include "graph/file_format.hpp"
#include "graph/input_file.hpp"
#include "graph/konect_text.hpp"
#include "graph/load_file.hpp"
#include "graph/load_text.hpp"
#include "graph/matrix_text.hpp"
#include "graph/packed.hpp"

namespace Atoll::graph {

namespace {

/// True if the beginning of a text declares so many nodes that ids need 64 bits.
bool declares_many_nodes(TextReader& reader) {
  const std::string_view head = reader.peek(kTextHeadBytes);
  std::string text_above;
  if (is_matrix_market(head)) {
    static_cast<void>(take_matrix_header(reader, text_above));
    return take_matrix_size(reader, text_above).rows >= kNarrowBelow;
  }
  if (is_dimacs(head, reader.source().name()))
    return take_dimacs_head(reader).nodes >= kNarrowBelow;
  if (is_konect_bipartite(head)) {
    const auto sizes = take_konect_head(reader).sizes;
    return sizes && (sizes->left >= kNarrowBelow / 2 || sizes->right >= kNarrowBelow / 2);
  }
  return false;
}

}  // namespace

std::optional<IdWidths> widths_of(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (path == "-" || (std::filesystem::exists(status) && !std::filesystem::is_directory(status) &&
                      !std::filesystem::is_regular_file(status)))
    return std::nullopt;
  InputFile file(path);
  if (is_graph_file(file.peek(sizeof(FileHead::magic)))) {
    const FileHead head = read_head(file);
    return IdWidths{IdWidth{static_cast<std::uint8_t>(head.node_bytes)},
                    IdWidth{static_cast<std::uint8_t>(head.edge_bytes)}};
  }
  if (file.bytes() >= kNarrowBelow || is_packed(file.peek(kPackedHeadBytes))) return std::nullopt;
  TextReader reader(file, TextReader::kMaxLineBytes);
  if (declares_many_nodes(reader)) return std::nullopt;
  return IdWidths{};
}

}  // namespace Atoll::graph
