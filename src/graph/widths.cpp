// Tells how wide a graph's ids will be before it is loaded. An edge takes 4 bytes of a text or more
// ("0 1", a line break), and ids are numbered anew unless most of them have an edge: a text of less
// than 4 GiB has neither so many edges nor so many nodes that their ids need 64 bits. Only a matrix
// may have any number of rows.
#include <charconv>
#include <filesystem>
#include <string>

#include "graph/archive.hpp"
#include "graph/file_format.hpp"
#include "graph/input_file.hpp"
#include "graph/load_file.hpp"
#include "graph/load_text.hpp"

namespace Atoll::graph {

namespace {

/// Reads a matrix's lines up to the one that begins with the number of its rows.
bool has_narrow_rows(TextReader& reader) {
  std::uint64_t rows = UINT64_MAX;
  for (std::string line; reader.take_line(line);) {
    const std::size_t digits = line.find_first_not_of(" \t\r");
    if (digits == std::string::npos || line[0] == '%') continue;
    std::from_chars(line.data() + digits, line.data() + line.size(), rows);
    break;
  }
  return rows < kNarrowBelow;
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
  if (is_matrix_market(reader.peek(64)) && !has_narrow_rows(reader)) return std::nullopt;
  return IdWidths{};
}

}  // namespace Atoll::graph
