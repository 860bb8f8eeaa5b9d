// Matrix Market's coordinate format: a header, a size line, entries "row column value…", both from
// 1. Entry (i, j) is the edge i → j, whatever its value. Entries of symmetric, skew-symmetric and
// hermitian matrices stand for both directions.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "graph/build.hpp"
#include "graph/load_text.hpp"
#include "graph/matrix_text.hpp"

namespace Atoll::graph {
namespace {

constexpr std::string_view kBanner = "%%matrixmarket";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

MatrixHeader read_matrix_header(const std::string& line, const std::string& where) {
  std::istringstream words(lower(line));
  std::string banner, object, format, field, symmetry, more;
  words >> banner >> object >> format >> field >> symmetry;
  const auto refuse = [&](std::string_view what) {
    return Error::input(where, what,
                        "write '%%MatrixMarket matrix coordinate "
                        "real|integer|complex|pattern "
                        "general|symmetric|skew-symmetric|hermitian'");
  };
  if (symmetry.empty() || words >> more) throw refuse("the header hasn't five words");
  if (banner != kBanner) throw refuse("the first line isn't that of a Matrix Market file");
  if (object != "matrix") throw refuse(fmt::format("'{}' is not a matrix", object));
  if (format != "coordinate") throw refuse(fmt::format("the format '{}' can't be a graph", format));
  MatrixHeader header;
  if (field == "real" || field == "integer")
    header.values = 1;
  else if (field == "complex")
    header.values = 2;
  else if (field != "pattern")
    throw refuse(fmt::format("the field '{}' is unknown", field));
  header.symmetric =
      symmetry == "symmetric" || symmetry == "skew-symmetric" || symmetry == "hermitian";
  header.negated = symmetry == "skew-symmetric";
  header.conjugated = symmetry == "hermitian";
  if (!header.symmetric && symmetry != "general")
    throw refuse(fmt::format("the symmetry '{}' is unknown", symmetry));
  return header;
}

MatrixSize read_matrix_size(const std::string& line, const std::string& where) {
  std::uint64_t numbers[3];
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto skip_blanks = [&] {
    while (at != end && std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
  };
  bool right = true;
  for (std::uint64_t& number : numbers) {
    skip_blanks();
    const auto [after, problem] = std::from_chars(at, end, number);
    right = right && problem == std::errc{} && number <= INT64_MAX;
    at = after;
  }
  skip_blanks();
  if (!right || at != end)
    throw Error::input(where, "this is no size line", "write 'rows columns entries'");
  return {numbers[0], numbers[1], numbers[2]};
}

namespace {

MatrixSize read_size(const std::string& line, const std::string& where, std::uint64_t budget) {
  const MatrixSize size = read_matrix_size(line, where);
  if (size.rows != size.columns)
    throw Error::input(where, fmt::format("{} rows and {} columns", size.rows, size.columns),
                       "a graph's matrix is square");
  if (size.rows > most_nodes(budget))
    throw Error::input(where,
                       fmt::format("too large: {} nodes, and the {} of memory available are enough "
                                   "for {}",
                                   format_count(size.rows), format_bytes(budget),
                                   format_count(most_nodes(budget))),
                       "use a machine with more memory");
  return size;
}

}  // namespace

bool is_matrix_market(std::string_view head) {
  return lower(head.substr(0, kBanner.size())) == kBanner;
}

ParsedText parse_matrix_market(TextReader& reader, const Team& team, const TextRequest& request) {
  std::string line;
  const auto where = [&] {
    return fmt::format("{}:{}", reader.source().name(), reader.lines_taken());
  };
  static_cast<void>(reader.take_line(line));
  const MatrixHeader header = read_matrix_header(line, where());
  const auto says_nothing = [&] {
    return line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '%';
  };
  do {
    if (!reader.take_line(line))
      throw Error::input(where(), "the file ends before its size line",
                         "write 'rows columns entries'");
  } while (says_nothing());
  const std::string size_where = where();
  const MatrixSize size = read_size(line, size_where, request.budget);

  LineFormat format;
  format.first_id = 1;
  format.last_id = size.rows;
  format.beyond_last = fmt::format("is beyond the {} rows that {} gives", size.rows, size_where);
  format.beyond_last_way_out = "number rows and columns from 1";
  format.values = header.values;
  ParsedText text;
  text.nodes = size.rows;
  text.sized = true;
  text.symmetric = header.symmetric;
  if (request.text.values.empty()) {
    parse_lines(text, reader, team, format, request);
  } else {
    FieldFormat fields{.ids = format};
    for (const auto& value : request.text.values) {
      fields.values.push_back(column_number(value.column));
      // The values of the matrix's other half are negated, or conjugated; the fourth column is the
      // imaginary part.
      const bool negated = header.negated || (header.conjugated && fields.values.back() == 3);
      text.mirrored.push_back(negated ? -1 : 1);
    }
    parse_all_fields(text, reader, team, fields, request);
  }
  if (text.entries != size.entries)
    throw Error::input(
        size_where,
        fmt::format("this line gives {} entries, but the file has {}", size.entries, text.entries),
        "is the file cut off? get it again, or correct the number");
  return text;
}

}  // namespace Atoll::graph
