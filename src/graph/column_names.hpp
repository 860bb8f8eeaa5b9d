// The first line of a table: what separates its fields, and whether it has the names of columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/text_reader.hpp"

namespace Atoll::graph {

/// Returns ',', ';' or a tab, whichever the line has first in this order; else ' '.
[[nodiscard]] char separator_of(std::string_view line);
/// Returns the first line that isn't empty or a comment, without taking it off the text.
[[nodiscard]] std::string first_line(TextReader& reader);

struct ColumnNames {
  std::size_t line = 0;  ///< from 1
  std::vector<std::string> names;
  /// "--columns FROM,TO", with the names of the first two.
  [[nodiscard]] std::string option() const;
};
/// Returns the names in the first line of an edge list if its first two fields are no numbers, but
/// those of the second line are.
[[nodiscard]] std::optional<ColumnNames> find_column_names(TextReader& reader);

}  // namespace Atoll::graph
