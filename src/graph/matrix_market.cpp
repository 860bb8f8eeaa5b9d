// Matrix Market's coordinate format: a header, a size line, then entries "row column value…", with
// rows and columns counted from 1. Entry (i, j) is the edge i → j, whatever its value. An entry of
// a symmetric, skew-symmetric or hermitian matrix represents both directions.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "graph/build.hpp"
#include "graph/load_text.hpp"
#include "graph/matrix_text.hpp"

namespace Atoll::graph {
namespace {

constexpr std::string_view kBanner = "matrixmarket";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Returns the text after "%%MatrixMarket". Also accepts a single '%' and blanks around it, as some
/// sites write.
std::optional<std::string_view> behind_banner(std::string_view text) {
  const auto skip = [&](auto&& wanted) {
    std::size_t count = 0;
    while (count < text.size() && wanted(text[count])) ++count;
    text.remove_prefix(count);
    return count;
  };
  const auto blank = [](char c) { return is_blank(c) || c == '\n'; };
  skip(blank);
  const std::size_t signs = skip([](char c) { return c == '%'; });
  skip(blank);
  if (signs == 0 || signs > 2 || lower(text.substr(0, kBanner.size())) != kBanner)
    return std::nullopt;
  return text.substr(kBanner.size());
}

}  // namespace

MatrixHeader read_matrix_header(const std::string& line, const std::string& where) {
  const std::optional<std::string_view> behind = behind_banner(line);
  std::istringstream words(lower(behind.value_or("")));
  std::string object, format, field, symmetry, more;
  words >> object >> format >> field >> symmetry;
  const auto refuse = [&](std::string_view what) {
    return Error::input(where, what,
                        "write '%%MatrixMarket matrix coordinate "
                        "real|integer|unsigned-integer|complex|pattern "
                        "general|symmetric|skew-symmetric|hermitian'");
  };
  if (!behind || (!behind->empty() && !is_blank(behind->front())))
    throw refuse("the first line isn't that of a Matrix Market file");
  if (symmetry.empty() || words >> more) throw refuse("the header hasn't five words");
  if (object != "matrix") throw refuse(fmt::format("'{}' is not a matrix", object));
  if (format != "coordinate") throw refuse(fmt::format("the format '{}' can't be a graph", format));
  MatrixHeader header;
  if (field == "real" || field == "integer" || field == "unsigned-integer")
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

void check_size(const MatrixSize& size, const std::string& where, std::uint64_t budget) {
  if (size.rows != size.columns)
    throw Error::input(where, fmt::format("{} rows and {} columns", size.rows, size.columns),
                       "a graph's matrix is square");
  check_nodes_fit(size.rows, where, budget);
}

}  // namespace

bool is_matrix_market(std::string_view head) {
  return behind_banner(head).has_value();
}

MatrixHeader take_matrix_header(TextReader& reader, std::string& line) {
  while (reader.read_line(line) && trimmed(line).empty()) {
  }
  const MatrixHeader header = read_matrix_header(line, reader.where());
  line.replace(0, line.find_first_not_of("% \t\v\f"), "%%");
  return header;
}

MatrixSize take_matrix_size(TextReader& reader, std::string& comments) {
  for (std::string line; reader.read_line(line);) {
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '%') return read_matrix_size(line, reader.where());
    comments.append(text) += '\n';
  }
  throw Error::input(reader.where(), "the file ends before its size line",
                     "write 'rows columns entries'");
}

ParsedText parse_matrix_market(TextReader& reader, const Team& team, const TextRequest& request) {
  std::string text_above;
  const MatrixHeader header = take_matrix_header(reader, text_above);
  const MatrixSize size = take_matrix_size(reader, text_above);
  const std::string size_where = reader.where();
  check_size(size, size_where, request.budget);

  LineFormat format;
  format.first_id = 1;
  format.last_id = size.rows;
  format.beyond_last = fmt::format("is beyond the {} rows that {} gives", size.rows, size_where);
  format.beyond_last_way_out = "number rows and columns from 1";
  format.values = header.values;
  ParsedText text;
  text.nodes = size.rows;
  text.declares_nodes = true;
  text.symmetric = header.symmetric;
  if (!request.by_fields()) {
    parse_lines(text, reader, team, format, request);
  } else {
    FieldFormat fields{.ids = format};
    for (const auto& value : request.text.values) {
      fields.values.push_back(column_number(value.column));
      // Values of the other half are negated (skew-symmetric) or conjugated (hermitian). The
      // imaginary part is in the fourth column.
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
