// A Matrix Market file with its values as the text that stands there, so that they can be written
// again bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/text_reader.hpp"

namespace Atoll::graph {

/// The words behind "%%MatrixMarket matrix coordinate".
struct MatrixHeader {
  int values = 0;  ///< numbers of an entry: 0 pattern, 1 real or integer, 2 complex
  bool symmetric = false;
  bool negated = false;     ///< entry (j, i) is entry (i, j) negated
  bool conjugated = false;  ///< entry (j, i) is entry (i, j) conjugated
};

/// Throws Error (input) for a line that is no header of a matrix in coordinates.
[[nodiscard]] MatrixHeader read_matrix_header(const std::string& line, const std::string& where);

struct MatrixSize {
  std::uint64_t rows = 0, columns = 0, entries = 0;
};
/// Throws Error (input) for a line that isn't "rows columns entries".
[[nodiscard]] MatrixSize read_matrix_size(const std::string& line, const std::string& where);

/// Takes the first line that isn't empty off the text; it becomes `line`.
[[nodiscard]] MatrixHeader take_matrix_header(TextReader& reader, std::string& line);
/// Takes the lines up to the size line off the text, and adds those before it to `comments`.
[[nodiscard]] MatrixSize take_matrix_size(TextReader& reader, std::string& comments);

struct MatrixText {
  std::string banner;    ///< the first line
  std::string comments;  ///< the lines between it and the sizes
  MatrixHeader header;
  std::uint32_t rows = 0, columns = 0;
  struct Entry {
    std::uint32_t row, column;  ///< from 0
    std::uint64_t text;         ///< where its values begin
  };
  std::vector<Entry> entries;
  std::string text;  ///< of all entries' values, each with a line feed behind it
};

/// Throws Error (input) for the first line that is wrong, and for a large matrix with fewer than
/// one entry for 64 rows and columns.
[[nodiscard]] MatrixText read_matrix_text(TextReader& reader);
/// Writes the matrix with row rows[i] as row i, and column columns[j] as column j; entries by row,
/// then column. Those of symmetric matrices stay in the lower half: the values of one that changes
/// sides are negated or conjugated if the header says so.
void write_matrix_text(const MatrixText& matrix, std::span<const std::uint32_t> rows,
                       std::span<const std::uint32_t> columns, const std::string& path);

}  // namespace Atoll::graph
