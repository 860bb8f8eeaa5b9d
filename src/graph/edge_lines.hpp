// Parses lines of an edge list or entries of a Matrix Market file: "source target" and further
// columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/edge_lists.hpp"
#include "graph/text_chunks.hpp"

namespace Atoll::graph {

/// The accepted form of a line.
struct LineFormat {
  std::uint64_t first_id = 0;         ///< lowest id in the text; 1 in Matrix Market
  std::uint64_t last_id = INT64_MAX;  ///< greatest id in the text
  std::string beyond_last;            ///< the error for an id above last_id: "node id 7 …"
  std::string beyond_last_way_out;
  int values = kAnyNumber;  ///< columns after the two ids
  std::string_view values_way_out = "the file's first line says which field its entries have";
  bool relabels = false;  ///< the format supports --relabel, which allows any words as ids
  static constexpr int kAnyNumber = -1;
};

struct ParsedLines {
  std::size_t edges = 0;
  std::size_t lines = 0;
  std::uint64_t max_id = 0;  ///< greatest id of the edges, counted from 0
  bool with_values = false;
  std::optional<LineError> error;
};

/// Parses the edges of whole lines. TextReader::kPadding readable bytes follow the text. `out` has
/// room for max_edges(text). Ids in `out` count from 0; ids too large for Id are truncated, which
/// max_id reveals.
template <class Id>
[[nodiscard]] ParsedLines parse_edge_lines(std::string_view text, const LineFormat& format,
                                           EdgePair<Id>* out);

[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
/// Returns the text without leading and trailing blanks.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Removes the next word from `line` and returns it.
[[nodiscard]] std::string_view next_word(std::string_view& line);
/// True if `line`, without its line feed, has a carriage return that isn't at its end.
[[nodiscard]] bool has_lone_return(std::string_view line);
/// Quotes a word for a message, shortened to 24 characters of UTF-8, with '?' for invalid bytes.
[[nodiscard]] std::string in_quotes(std::string_view word);
/// Parses an id as written in the text (not yet counted from 0). Returns the error, if any.
[[nodiscard]] std::optional<LineError> read_id(std::string_view word, const LineFormat& format,
                                               std::uint64_t& number);

/// Upper bound of the edges in the text: the shortest line, "1 2" with its line break, has four
/// bytes.
[[nodiscard]] constexpr std::size_t max_edges(std::string_view text) {
  return text.size() / 4 + 1;
}

}  // namespace Atoll::graph
