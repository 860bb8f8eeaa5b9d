// A Matrix Market file whose values are kept as text, so that they are written back bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/text_reader.hpp"

namespace Atoll::graph {

/// The words after "%%MatrixMarket matrix coordinate".
struct MatrixHeader {
  int values = 0;  ///< numbers in an entry: 0 pattern, 1 real or integer, 2 complex
  bool symmetric = false;
  bool negated = false;     ///< entry (j, i) is entry (i, j) negated
  bool conjugated = false;  ///< entry (j, i) is entry (i, j) conjugated
};

/// Throws Error (input) if the line isn't the header of a matrix in coordinate format.
[[nodiscard]] MatrixHeader read_matrix_header(const std::string& line, const std::string& where);

struct MatrixSize {
  std::uint64_t rows = 0, columns = 0, entries = 0;
};
/// Throws Error (input) if the line isn't "rows columns entries".
[[nodiscard]] MatrixSize read_matrix_size(const std::string& line, const std::string& where);

/// Consumes the first line that isn't empty, and stores it in `line`.
[[nodiscard]] MatrixHeader take_matrix_header(TextReader& reader, std::string& line);
/// Consumes the lines up to the size line, and appends those before it to `comments`.
[[nodiscard]] MatrixSize take_matrix_size(TextReader& reader, std::string& comments);

struct MatrixText {
  std::string banner;    ///< the first line
  std::string comments;  ///< the lines between the banner and the sizes
  MatrixHeader header;
  std::uint32_t rows = 0, columns = 0;
  struct Entry {
    std::uint32_t row, column;  ///< counted from 0
    std::uint64_t text;         ///< position of its values in MatrixText::text
  };
  std::vector<Entry> entries;
  std::string text;  ///< values of all entries, each followed by a line feed
};

/// Throws Error (input) that names the first wrong line, or if a large matrix has fewer than one
/// entry for 64 rows and columns.
[[nodiscard]] MatrixText read_matrix_text(TextReader& reader);
/// Writes the matrix with row rows[i] as row i and column columns[j] as column j, entries sorted by
/// row, then column. Entries of symmetric matrices stay in the lower half. If an entry crosses the
/// diagonal, its value is negated or conjugated as the header requires.
void write_matrix_text(const MatrixText& matrix, std::span<const std::uint32_t> rows,
                       std::span<const std::uint32_t> columns, const std::string& path);

}  // namespace Atoll::graph
