// Reads graphs from text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "graph/edge_lines.hpp"
#include "graph/fields.hpp"
#include "graph/text_reader.hpp"

namespace Atoll::graph {

/// Bytes of one chunk of text. A chunk stays in the cache from reading to parsing.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// Bytes at the beginning of a text that determine its format.
inline constexpr std::size_t kTextHeadBytes = 4096;

/// Parameters of reading a text.
struct TextRequest {
  BuildOptions build;
  TextOptions text;
  std::uint64_t budget = UINT64_MAX / 64;  ///< limit for the memory used while building

  /// True if the text must be parsed field by field: to read values, or to find duplicate edges.
  [[nodiscard]] bool by_fields() const {
    return !text.values.empty() || (build.deduplicate && build.duplicates == Duplicates::error);
  }
  /// False if each id must stay the node's number, because a label file depends on it.
  [[nodiscard]] bool may_relabel() const {
    return text.ids == TextOptions::Ids::relabel ||
           (text.ids == TextOptions::Ids::automatic && build.min_nodes == 0);
  }
};

/// The edges of a text.
struct ParsedText {
  std::vector<EdgeList<std::uint32_t>> narrow;  ///< one list for each thread
  std::vector<EdgeList<std::uint64_t>> wide;    ///< pairs from chunks with ids of more than 32 bits
  std::vector<FieldChunk> chunks;               ///< used instead if the text is read field by field
  std::vector<FieldChunk> vertices;             ///< listed nodes, each paired with itself; not
                                                ///< edges
  std::uint64_t nodes = 0;                      ///< greater than every id
  std::uint64_t entries = 0;
  bool declares_nodes = false;  ///< the text declares its number of nodes, which may be 0
  bool words = false;           ///< ids are positions in the chunks' words
  bool symmetric = false;       ///< each entry represents both directions
  /// Factor of each value in the opposite direction: 1, or -1 for skew-symmetric matrices.
  std::vector<double> mirrored;
};

/// These throw Error (input) that names the first wrong line, or if the graph would need more
/// memory than the budget.
[[nodiscard]] ParsedText parse_edge_list(TextReader& reader, const Team& team,
                                         const TextRequest& request);
[[nodiscard]] ParsedText parse_matrix_market(TextReader& reader, const Team& team,
                                             const TextRequest& request);
[[nodiscard]] bool is_matrix_market(std::string_view head);

/// The accepted form of ids in an edge list or a table.
[[nodiscard]] LineFormat ids_of(const TextRequest& request);

/// Parses all remaining lines of `reader` into `text`, two numbers a line.
void parse_lines(ParsedText& text, TextReader& reader, const Team& team, const LineFormat& format,
                 const TextRequest& request);
/// Parses all remaining lines of `reader` into `text`, field by field, which is slower.
void parse_all_fields(ParsedText& text, TextReader& reader, const Team& team,
                      const FieldFormat& format, const TextRequest& request);
/// Parses a column number, counted from 1. Throws Error (input) for anything else.
[[nodiscard]] std::size_t column_number(const std::string& column, const char* option = "--value");

/// Reads a text; its first bytes determine the format.
[[nodiscard]] Graph load_text(TextReader& reader, const Team& team, const TextRequest& request);

}  // namespace Atoll::graph
