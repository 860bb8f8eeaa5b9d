// Reads and writes Matrix Market files, keeping the values as text.
#include "graph/matrix_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "graph/edge_lines.hpp"
#include "graph/metis_head.hpp"
#include "graph/real_number.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {
namespace {

bool is_number(std::string_view word) {
  double ignored = 0;
  return read_real(word, ignored);
}

/// Returns "-x" for "x", and "x" for "-x".
std::string negated(std::string_view word) {
  if (word.starts_with('-')) return std::string(word.substr(1));
  return "-" + std::string(word.starts_with('+') ? word.substr(1) : word);
}

/// Returns the values of the entry that is mirrored at the diagonal.
std::string mirrored(std::string_view values, const MatrixHeader& header) {
  if (!header.negated && !header.conjugated) return std::string(values);
  const std::string_view first = next_word(values);
  const std::string_view second = next_word(values);
  std::string result = header.negated ? negated(first) : std::string(first);
  if (!second.empty()) result += " " + negated(second);
  return result;
}

/// Throws Error (input) if rows and columns without entries would dominate memory and time.
void check_not_nearly_empty(const MatrixSize& size, const std::string& where) {
  constexpr std::uint64_t kFewLines = std::uint64_t{1} << 24, kLinesForEntry = 64;
  const std::uint64_t lines = size.rows + size.columns;
  if (lines <= kFewLines || lines / kLinesForEntry <= size.entries) return;
  throw Error::input(where,
                     fmt::format("{} rows and {} columns have only {} entries", size.rows,
                                 size.columns, size.entries),
                     "leave out the empty rows and columns, and number the others anew");
}

void read_entry(MatrixText& matrix, std::string_view line, const std::string& where,
                const std::string& size_where) {
  std::uint64_t ids[2];
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t most = i == 0 ? matrix.rows : matrix.columns;
    const auto id = next_number(line);
    if (!id)
      throw Error::input(where, "an entry begins with its row and column",
                         "write 'row column' and the value");
    if (*id < 1 || *id > most)
      throw Error::input(
          where,
          fmt::format("{} {} is not from 1 to {}, the {} that {} gives", i == 0 ? "row" : "column",
                      *id, most, i == 0 ? "rows" : "columns", size_where),
          "number rows and columns from 1");
    ids[i] = *id - 1;
  }
  const std::string_view values = trimmed(line);
  int words = 0;
  for (std::string_view rest = values; !trimmed(rest).empty(); ++words)
    if (const std::string_view word = next_word(rest); !is_number(word))
      throw Error::input(where, in_quotes(word) + " is no number",
                         "write 'row column' and the value");
  if (words != matrix.header.values)
    throw Error::input(where, fmt::format("{} numbers behind row and column", words),
                       fmt::format("the header wants {}", matrix.header.values));
  matrix.entries.push_back(
      {static_cast<std::uint32_t>(ids[0]), static_cast<std::uint32_t>(ids[1]), matrix.text.size()});
  matrix.text.append(values) += '\n';
}

}  // namespace

MatrixText read_matrix_text(TextReader& reader) {
  const auto where = [&](std::uint64_t line) {
    return fmt::format("{}:{}", reader.source().name(), line);
  };
  MatrixText matrix;
  matrix.header = take_matrix_header(reader, matrix.banner);
  if (matrix.banner.ends_with('\r')) matrix.banner.pop_back();
  const MatrixSize size = take_matrix_size(reader, matrix.comments);
  const std::string size_where = where(reader.lines_read());
  if (size.rows >= kNarrowBelow || size.columns >= kNarrowBelow)
    throw Error::input(size_where, "more than 2^32 - 2 rows or columns", "use a smaller matrix");
  check_not_nearly_empty(size, size_where);
  if (matrix.header.symmetric && size.rows != size.columns)
    throw Error::input(size_where, fmt::format("{} rows and {} columns", size.rows, size.columns),
                       "a symmetric matrix is square");
  matrix.rows = static_cast<std::uint32_t>(size.rows);
  matrix.columns = static_cast<std::uint32_t>(size.columns);
  std::uint64_t number = reader.lines_read();
  TextReader::Chunk chunk;
  while (reader.next(chunk))
    for (std::string_view text = chunk.text; !text.empty();) {
      const std::size_t end = text.find('\n');
      const std::string_view entry = text.substr(0, end);
      text.remove_prefix(end + 1);
      ++number;
      if (has_lone_return(entry)) throw Error::input(where(number), kLoneReturn, kLoneReturnWayOut);
      if (!trimmed(entry).empty() && !trimmed(entry).starts_with('%'))
        read_entry(matrix, entry, where(number), size_where);
    }
  if (matrix.entries.size() != size.entries)
    throw Error::input(size_where,
                       fmt::format("this line gives {} entries, but the file has {}", size.entries,
                                   matrix.entries.size()),
                       "is the file cut off? get it again, or correct the number");
  return matrix;
}

void write_matrix_text(const MatrixText& matrix, std::span<const std::uint32_t> rows,
                       std::span<const std::uint32_t> columns, const std::string& path) {
  const auto places = [](std::span<const std::uint32_t> order) {
    std::vector<std::uint32_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::uint32_t>(k);
    return place;
  };
  const auto row_at = places(rows), column_at = places(columns);
  struct Moved {
    std::uint64_t at;  ///< key for sorting: by row, then column
    std::uint64_t text;
    bool mirrored;
  };
  std::vector<Moved> moved;
  moved.reserve(matrix.entries.size());
  for (const MatrixText::Entry& entry : matrix.entries) {
    std::uint64_t row = row_at[entry.row], column = column_at[entry.column];
    const bool above = matrix.header.symmetric && column > row;
    if (above) std::swap(row, column);
    moved.push_back({row << 32 | column, entry.text, above});
  }
  std::stable_sort(moved.begin(), moved.end(),
                   [](const Moved& a, const Moved& b) { return a.at < b.at; });
  AtomicFile file(path);
  std::string text = fmt::format("{}\n{}{} {} {}\n", matrix.banner, matrix.comments, matrix.rows,
                                 matrix.columns, matrix.entries.size());
  for (const Moved& entry : moved) {
    const std::string_view values(matrix.text.data() + entry.text,
                                  matrix.text.find('\n', entry.text) - entry.text);
    fmt::format_to(std::back_inserter(text), "{} {}", (entry.at >> 32) + 1,
                   (entry.at & UINT32_MAX) + 1);
    if (!values.empty()) text += ' ';
    text += entry.mirrored ? mirrored(values, matrix.header) : std::string(values);
    text += '\n';
    if (text.size() < (std::size_t{1} << 20)) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace Atoll::graph
