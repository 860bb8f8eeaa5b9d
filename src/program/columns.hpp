// Formats columns of text for a terminal of 80 columns.
#pragma once

#include <string>
#include <vector>

namespace Atoll::program {

struct TextColumn {
  std::string head;
  std::vector<std::string> cells;
  bool right = false;  ///< right-aligned, for numbers
};

/// Formats one line per row, each with the row's number in front. The first `keys` columns name the
/// row. If not all columns fit, the others follow in further blocks, which repeat the keys. Texts
/// longer than 24 characters (40 for all keys together) are truncated; no number is that long.
[[nodiscard]] std::string side_by_side(std::vector<TextColumn> columns, std::size_t keys);

}  // namespace Atoll::program
