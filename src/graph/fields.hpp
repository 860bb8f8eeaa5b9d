// Parses texts that need more than two numeric columns. Lines are split into fields. Some fields
// are node ids (numbers or words), some are values of edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/threads/team.hpp"
#include "graph/edge_lines.hpp"
#include "graph/text_reader.hpp"

namespace Atoll::graph {

struct FieldFormat {
  LineFormat ids;
  std::optional<LineFormat> to_ids{};  ///< format of the second end, if it differs from `ids`
  char separator = ' ';  ///< ' ': any number of blanks; else fields may be quoted, as in CSV
  std::string_view comment_signs = "#%";  ///< a line that begins with one of them is a comment
  bool words = false;                     ///< ids are words
  std::size_t from = 0;                   ///< columns, counted from 0
  std::size_t to = 1;
  std::vector<std::size_t> values;
  /// For each value: its key in a Python dictionary after the two ids, or "" if the value is a
  /// column. Empty: all values are columns.
  std::vector<std::string> keys{};
  /// If not empty, each line begins with a one-letter word that isn't a field: this letter for an
  /// edge, …
  std::string_view edge_letter{};
  std::string_view other_letters{};  ///< … and one of these for a line to skip
};

/// The type in which a column's values are stored.
struct ValueColumn {
  bool whole = true;         ///< stored as std::int64_t, else as double
  bool exact = true;         ///< each value is exact as a double
  std::uint64_t absent = 0;  ///< lines whose dictionary lacks the key; their value is NaN
};

/// The content of a chunk.
struct FieldChunk {
  Buffer<EdgePair<std::uint64_t>> pairs;  ///< pairs of ids, or of positions in `words`
  Buffer<std::uint64_t> values;           ///< bits of format.values.size() values for each pair
  std::vector<ValueColumn> columns;       ///< one for each value
  std::vector<std::string> words;         ///< distinct words in the order of first use
};

/// Converts the bits of an integer to the bits of the equal double.
[[nodiscard]] std::uint64_t whole_as_double(std::uint64_t bits);

/// Splits a line (without its line feed) into fields. Returns false if a quote isn't closed. The
/// views refer to `line`, or to `unquoted` if quotes inside a field had to be removed.
[[nodiscard]] bool split_fields(std::string_view line, char separator,
                                std::vector<std::string_view>& fields,
                                std::deque<std::string>& unquoted);

/// Returns the chunks in the order of the text. Throws Error (input) that names the first wrong
/// line, or if the graph would need more than `budget` bytes.
[[nodiscard]] std::vector<FieldChunk> parse_fields(TextReader& reader, const Team& team,
                                                   const FieldFormat& format, std::uint64_t budget);

}  // namespace Atoll::graph
