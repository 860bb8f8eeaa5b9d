// The first line of a table: its field separator and its column names, if any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/text_reader.hpp"

namespace Atoll::graph {

/// Returns the first of ',', ';' and tab (in this order) that the line contains; a blank if none.
[[nodiscard]] char separator_of(std::string_view line);
/// Returns the first line that is neither empty nor a comment, without consuming it.
[[nodiscard]] std::string first_line(TextReader& reader);

struct ColumnNames {
  std::size_t line = 0;  ///< from 1
  std::vector<std::string> names;
  /// The option "--columns FROM,TO" with the first two names.
  [[nodiscard]] std::string option() const;
};
/// Returns the names in the first line of an edge list. The line has names if its first two fields
/// aren't numbers, but those of the second line are.
[[nodiscard]] std::optional<ColumnNames> find_column_names(TextReader& reader);

}  // namespace Atoll::graph
