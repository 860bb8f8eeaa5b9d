// Graphs as text.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/graph/graph.hpp"
#include "graph/edge_lines.hpp"
#include "graph/text_reader.hpp"

namespace Atoll::graph {

/// A parser's share of text at a time: it stays in the cache from reading to parsing.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

/// The edges of a text, each thread's in its own lists.
struct ParsedText {
  std::vector<EdgeList<std::uint32_t>> narrow;
  std::vector<EdgeList<std::uint64_t>> wide;  ///< of chunks that have ids of more than 32 bits
  std::uint64_t nodes = 0;
  std::uint64_t entries = 0;
  bool symmetric = false;  ///< each entry stands for both directions
};

/// Throws Error (input) for the first line that is wrong, and for a graph that would need more than
/// `budget` bytes to build.
[[nodiscard]] ParsedText parse_edge_list(TextReader& reader, const Team& team, std::uint64_t budget,
                                         bool mirrored);
[[nodiscard]] ParsedText parse_matrix_market(TextReader& reader, const Team& team,
                                             std::uint64_t budget, bool mirrored);
[[nodiscard]] bool is_matrix_market(std::string_view head);
/// Either, told by its first line.
[[nodiscard]] ParsedText parse_text(TextReader& reader, const Team& team, std::uint64_t budget,
                                    bool mirrored);

/// All lines of `reader` into `text`. `mirrored`: each entry becomes two edges.
void parse_lines(ParsedText& text, TextReader& reader, const Team& team, const LineFormat& format,
                 std::uint64_t budget, bool mirrored);

/// Either kind of text, from chunks of about `chunk_bytes`.
[[nodiscard]] Graph load_text(TextReader& reader, const Team& team, const BuildOptions& options,
                              std::uint64_t budget);

}  // namespace Atoll::graph
