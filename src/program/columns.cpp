// Aligns text. A UTF-8 character counts as one column.
#include "program/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::program {
namespace {

constexpr std::size_t kTerminal = 80, kGap = 2;
constexpr std::size_t kMaxLetters = 24;        ///< width of a cell; fits the longest number
constexpr std::size_t kMaxLettersOfKeys = 40;  ///< maximum total width of the key columns

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

void cut(std::string& text, std::size_t most) {
  if (width_of(text) <= most) return;
  std::size_t end = 0;
  for (std::size_t letters = 0;; ++end)
    if (begins_character(text[end]) && ++letters == most) break;
  text.resize(end);
  text += "…";
}

std::size_t width_of(const TextColumn& column) {
  std::size_t width = width_of(column.head);
  for (const std::string& cell : column.cells) width = std::max(width, width_of(cell));
  return width;
}

void append(std::string& line, const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - width_of(text), ' ');
  line += std::string(kGap, ' ') + (right ? blanks + text : text + blanks);
}

}  // namespace

std::string side_by_side(std::vector<TextColumn> columns, std::size_t keys) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t most = i < keys ? kMaxLettersOfKeys / keys : kMaxLetters;
    cut(columns[i].head, most);
    for (std::string& cell : columns[i].cells) cut(cell, most);
    widths.push_back(width_of(columns[i]));
  }
  std::string out;
  const std::size_t rows = columns.front().cells.size();
  const std::size_t number_width = std::max<std::size_t>(4, std::to_string(rows).size());
  std::size_t next = keys;
  do {
    std::vector<std::size_t> shown;
    std::size_t used = number_width;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i >= keys && i < next) continue;
      const std::size_t wanted = kGap + widths[i];
      if (i >= keys && i > next && used + wanted > kTerminal) break;
      used += wanted;
      shown.push_back(i);
    }
    next = shown.back() + 1;
    if (!out.empty()) out += '\n';
    for (std::size_t row = 0; row <= rows; ++row) {
      std::string line(number_width, ' ');
      if (row > 0) line = fmt::format("{:>{}}", row, number_width);
      for (const std::size_t i : shown)
        append(line, row == 0 ? columns[i].head : columns[i].cells[row - 1], widths[i],
               columns[i].right);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  } while (next < columns.size());
  return out;
}

}  // namespace Atoll::program
