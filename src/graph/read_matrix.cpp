#include "atoll/graph/matrix.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "atoll/base/error.hpp"
#include "graph/edge_lines.hpp"
#include "graph/formats.hpp"
#include "graph/matrix_text.hpp"
#include "graph/real_number.hpp"
#include "graph/text_source.hpp"

namespace Atoll::graph {
namespace {

/// Returns the first number in an entry's text; 1 if there is none.
double value_of(const MatrixText& matrix, const MatrixText::Entry& entry) {
  if (matrix.header.values == 0) return 1;
  std::string_view text = std::string_view(matrix.text).substr(entry.text);
  text = text.substr(0, text.find('\n'));
  double value = 0;
  static_cast<void>(read_real(next_word(text), value));  // was checked while reading
  return value;
}

/// Sorts each row by column, and adds up the values of entries with the same column.
void add_duplicates(SparseMatrix& matrix) {
  std::vector<std::pair<std::uint32_t, double>> row;
  std::uint64_t kept = 0, first = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    row.clear();
    for (std::uint64_t at = first; at < matrix.begin[i + 1]; ++at)
      row.emplace_back(matrix.columns[at], matrix.values[at]);
    first = matrix.begin[i + 1];
    std::ranges::stable_sort(row, {}, &std::pair<std::uint32_t, double>::first);
    for (const auto& [column, value] : row) {
      if (kept > matrix.begin[i] && matrix.columns[kept - 1] == column) {
        matrix.values[kept - 1] += value;
        continue;
      }
      matrix.columns[kept] = column;
      matrix.values[kept++] = value;
    }
    matrix.begin[i + 1] = kept;
  }
  matrix.columns.resize(kept);
  matrix.values.resize(kept);
}

SparseMatrix by_rows(const MatrixText& text) {
  SparseMatrix matrix;
  matrix.column_count = text.columns;
  matrix.begin.assign(std::size_t{text.rows} + 1, 0);
  const auto for_entries = [&](auto&& take) {
    for (const MatrixText::Entry& entry : text.entries) {
      take(entry.row, entry.column, entry, false);
      if (text.header.symmetric && entry.row != entry.column)
        take(entry.column, entry.row, entry, text.header.negated);
    }
  };
  for_entries([&](std::uint32_t row, auto&&...) { ++matrix.begin[row + 1]; });
  std::partial_sum(matrix.begin.begin(), matrix.begin.end(), matrix.begin.begin());
  matrix.columns.resize(matrix.begin.back());
  matrix.values.resize(matrix.begin.back());
  std::vector<std::uint64_t> next(matrix.begin.begin(), matrix.begin.end() - 1);
  for_entries(
      [&](std::uint32_t row, std::uint32_t column, const MatrixText::Entry& entry, bool negated) {
        const std::uint64_t at = next[row]++;
        matrix.columns[at] = column;
        matrix.values[at] = negated ? -value_of(text, entry) : value_of(text, entry);
      });
  add_duplicates(matrix);
  return matrix;
}

}  // namespace

SparseMatrix read_matrix(const std::string& path, const Team& team) {
  InputFile file(path);
  return with_source(file, team, [&](ByteSource& source) {
    TextReader reader(source, kChunkBytes);
    if (!is_matrix_market(reader.peek(kTextHeadBytes)))
      throw Error::input(source.name(), "is no Matrix Market file", "give a file *.mtx");
    const MatrixText text = read_matrix_text(reader);
    if (text.header.values > 1)
      throw Error::input(source.name(), "is a complex matrix", "take its real part first");
    return by_rows(text);
  });
}

}  // namespace Atoll::graph
