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

/// The size of a parser's share of text. It stays in the cache from reading to parsing.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// So many bytes of a text tell its format.
inline constexpr std::size_t kTextHeadBytes = 4096;

/// How to read a text.
struct TextRequest {
  BuildOptions build;
  TextOptions text;
  std::uint64_t budget = UINT64_MAX / 64;  ///< bytes that the graph may take while it is built

  /// True if the text is to be read field by field: for values, or to find edges that are twice.
  [[nodiscard]] bool by_fields() const {
    return !text.values.empty() || (build.deduplicate && build.duplicates == Duplicates::error);
  }
  /// False if an id must be the node's number, since labels of a file depend on it.
  [[nodiscard]] bool may_relabel() const {
    return text.ids == TextOptions::Ids::relabel ||
           (text.ids == TextOptions::Ids::automatic && build.min_nodes == 0);
  }
};

/// The edges of a text.
struct ParsedText {
  std::vector<EdgeList<std::uint32_t>> narrow;  ///< one list for each thread
  std::vector<EdgeList<std::uint64_t>> wide;    ///< of chunks that have ids of more than 32 bits
  std::vector<FieldChunk> chunks;               ///< used instead for a text read field by field
  std::vector<FieldChunk> vertices;             ///< pairs of a node with itself, that are no edges
  std::uint64_t nodes = 0;                      ///< above every id
  std::uint64_t entries = 0;
  bool sized = false;      ///< the text itself says how many nodes there are, maybe none
  bool words = false;      ///< ids are positions in the chunks' words
  bool symmetric = false;  ///< each entry stands for both directions
  /// The factor of each value for the other direction: 1, or -1 for skew-symmetric ones.
  std::vector<double> mirrored;
};

/// These throw Error (input) for the first line that is wrong, and for a graph that would need more
/// than the budget.
[[nodiscard]] ParsedText parse_edge_list(TextReader& reader, const Team& team,
                                         const TextRequest& request);
[[nodiscard]] ParsedText parse_matrix_market(TextReader& reader, const Team& team,
                                             const TextRequest& request);
[[nodiscard]] bool is_matrix_market(std::string_view head);

/// What ids have to look like in an edge list or a table.
[[nodiscard]] LineFormat ids_of(const TextRequest& request);

/// Reads all lines of `reader` into `text`, two numbers in each.
void parse_lines(ParsedText& text, TextReader& reader, const Team& team, const LineFormat& format,
                 const TextRequest& request);
/// Reads all lines of `reader` into `text`, field by field, which is slower.
void parse_all_fields(ParsedText& text, TextReader& reader, const Team& team,
                      const FieldFormat& format, const TextRequest& request);
/// Reads a column's number, counted from 1. Throws Error (input) for anything else.
[[nodiscard]] std::size_t column_number(const std::string& column, const char* option = "--value");

/// Reads a text; its beginning tells the format.
[[nodiscard]] Graph load_text(TextReader& reader, const Team& team, const TextRequest& request);

}  // namespace Atoll::graph
