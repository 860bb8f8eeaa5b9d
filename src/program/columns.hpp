// Columns of text, side by side in at most 80 columns of a terminal.
#pragma once

#include <string>
#include <vector>

namespace Atoll::program {

struct TextColumn {
  std::string head;
  std::vector<std::string> cells;
  bool right = false;  ///< aligned right: numbers
};

/// The columns with one line for each row, whose number is in front. The first `keys` columns name
/// the row: if not all fit side by side, the others follow below, with these in front again. Texts
/// of more than 24 letters (40 for all that name a row) are cut at the end; no number is so long.
[[nodiscard]] std::string side_by_side(std::vector<TextColumn> columns, std::size_t keys);

}  // namespace Atoll::program
