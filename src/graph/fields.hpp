// Reads texts that need more than the first two columns as numbers. Lines are split into fields, of
// which some are node ids, as numbers or as words, and some are values of edges.
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
  std::optional<LineFormat> to_ids{};  ///< those of the second end, if they differ from `ids`
  char separator = ' ';  ///< ' ': any number of blanks; else fields may be quoted, as in CSV
  std::string_view comment_signs = "#%";  ///< lines that begin with one of these are comments
  bool words = false;                     ///< ids are words
  std::size_t from = 0;                   ///< columns, from 0
  std::size_t to = 1;
  std::vector<std::size_t> values;
  /// For each value the key in a Python dictionary behind the two ids that has it, or "" for one
  /// that is a column. Empty: all are columns.
  std::vector<std::string> keys{};
  /// If not empty, lines begin with a word of one letter that is no field: an edge's with this one,
  /// …
  std::string_view edge_letter{};
  std::string_view other_letters{};  ///< … and lines that are left out with one of these.
};

/// How the values of a column are kept.
struct ValueColumn {
  bool whole = true;         ///< as std::int64_t, else as double
  bool exact = true;         ///< each would be the same as a double
  std::uint64_t absent = 0;  ///< lines whose dictionary has no such key; their value is NaN
};

/// What a chunk holds.
struct FieldChunk {
  Buffer<EdgePair<std::uint64_t>> pairs;  ///< pairs of ids, or of positions in `words`
  Buffer<std::uint64_t> values;           ///< for each pair the bits of format.values.size() values
  std::vector<ValueColumn> columns;       ///< for each value
  std::vector<std::string> words;         ///< each once, in the order of their first use
};

/// The bits of a whole number as those of a double.
[[nodiscard]] std::uint64_t whole_as_double(std::uint64_t bits);

/// Splits a line without its line feed into fields. Returns false if a quote isn't closed. Views
/// are of `line`, or of `unquoted` if quotes in a field had to be removed.
[[nodiscard]] bool split_fields(std::string_view line, char separator,
                                std::vector<std::string_view>& fields,
                                std::deque<std::string>& unquoted);

/// Returns the chunks in the order of the text. Throws Error (input) for the first line that is
/// wrong, and for a graph that would need more than `budget` bytes.
[[nodiscard]] std::vector<FieldChunk> parse_fields(TextReader& reader, const Team& team,
                                                   const FieldFormat& format, std::uint64_t budget);

}  // namespace Atoll::graph
