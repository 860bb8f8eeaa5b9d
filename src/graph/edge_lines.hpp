// Parses lines of an edge list or of a Matrix Market file's entries: "source target" and what
// follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/edge_lists.hpp"
#include "graph/text_chunks.hpp"

namespace Atoll::graph {

/// What a line must look like.
struct LineFormat {
  std::uint64_t first_id = 0;         ///< 1 in Matrix Market
  std::uint64_t last_id = INT64_MAX;  ///< as in the text
  std::string beyond_last;            ///< "node id 7 …", the error for an id beyond last_id
  std::string beyond_last_way_out;
  int values = kAnyNumber;  ///< columns behind the two ids
  std::string_view values_way_out = "the file's first line says which field its entries have";
  bool relabels = false;  ///< the format takes --relabel, which allows any words as ids
  static constexpr int kAnyNumber = -1;
};

struct ParsedLines {
  std::size_t edges = 0;
  std::size_t lines = 0;
  std::uint64_t max_id = 0;  ///< of the edges; counted from 0
  bool with_values = false;
  std::optional<LineError> error;
};

/// Parses the edges of whole lines, with TextReader::kPadding bytes behind them. `out` has room for
/// max_edges(text). Ids count from 0 in `out`; those beyond Id are cut off, as max_id shows.
template <class Id>
[[nodiscard]] ParsedLines parse_edge_lines(std::string_view text, const LineFormat& format,
                                           EdgePair<Id>* out);

[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
/// The text without blanks at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Takes the next word off a line, and returns it.
[[nodiscard]] std::string_view take_word(std::string_view& line);
/// True if `line`, without its line feed, has a carriage return that isn't at its end.
[[nodiscard]] bool has_lone_return(std::string_view line);
/// Quotes as much of a word as a message can show: UTF-8, with '?' for other bytes.
[[nodiscard]] std::string quoted(std::string_view word);
/// Reads the id as it is in the text. Returns the error, if any.
[[nodiscard]] std::optional<LineError> read_id(std::string_view word, const LineFormat& format,
                                               std::uint64_t& number);

/// "1 2" and a line break are four bytes.
[[nodiscard]] constexpr std::size_t max_edges(std::string_view text) {
  return text.size() / 4 + 1;
}

}  // namespace Atoll::graph
