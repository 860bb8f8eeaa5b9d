// Parser of edge lines. Nearly all lines are "digits, one blank or tab, digits, line break". A fast
// path reads these without further checks. LineParser parses all other lines and finds the errors.
#include "graph/edge_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "graph/digits.hpp"

namespace Atoll::graph {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view next_word(std::string_view& line) {
  const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto last = std::find_if(first, line.end(), is_blank);
  const std::string_view word(line.data() + (first - line.begin()),
                              static_cast<std::size_t>(last - first));
  line.remove_prefix(static_cast<std::size_t>(last - line.begin()));
  return word;
}

namespace {

/// Returns the length in bytes of the UTF-8 character at the beginning of `text`; 0 if it is
/// invalid or a control character. Accepts every two- to four-byte form that isn't overlong.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf5   ? 0
                             : first >= 0xf0 ? 4
                             : first >= 0xe0 ? 3
                             : first >= 0xc2 ? 2
                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool wrong = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                     (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
                     (first == 0xf4 && second >= 0x90);
  return wrong ? 0 : length;
}

}  // namespace

std::string in_quotes(std::string_view word) {
  constexpr int kMaxCharacters = 24;
  std::string text = "'";
  for (int i = 0; i < kMaxCharacters && !word.empty(); ++i) {
    const std::size_t bytes = shown_bytes(word);
    text += bytes == 0 ? "?" : word.substr(0, bytes);
    word.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return text + (word.empty() ? "'" : "…'");
}

bool has_lone_return(std::string_view line) {
  return line.find('\r') < line.size() - 1;
}

std::optional<LineError> read_id(std::string_view word, const LineFormat& format,
                                 std::uint64_t& number) {
  const auto fail = [](std::string what, std::string way_out) {
    return LineError{0, std::move(what), std::move(way_out)};
  };
  static constexpr const char* kForm = "write 'source target' a line, node ids in decimal";
  if (word.empty()) return fail("one node id only", kForm);
  const bool negative = word.size() > 1 && word[0] == '-';
  const std::string_view digits = word.substr(negative ? 1 : 0);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem == std::errc::invalid_argument || end != digits.data() + digits.size())
    return fail(in_quotes(word) + " is not a node id",
                word.find(',') != std::string_view::npos
                    ? "of a table with commas, name the columns: --columns FROM,TO"
                : format.relabels ? "node ids are decimal numbers; --relabel takes words"
                                  : "node ids are decimal numbers");
  const std::string_view any_id = format.relabels ? ", or add --relabel, which takes any ids" : "";
  if (negative)
    return fail("node id " + in_quotes(word) + " is negative",
                fmt::format("number nodes from {}{}", format.first_id, any_id));
  if (problem == std::errc::result_out_of_range || number > INT64_MAX)
    return fail("node id " + in_quotes(word) + " is beyond 2^63 - 1",
                fmt::format("number nodes without gaps{}", any_id));
  if (number < format.first_id)
    return fail(fmt::format("node id {}", number), "ids count from 1 here");
  if (number > format.last_id)
    return fail(fmt::format("node id {} {}", number, format.beyond_last),
                format.beyond_last_way_out);
  return {};
}

namespace {

int count_words(std::string_view line) {
  int count = 0;
  while (!next_word(line).empty()) ++count;
  return count;
}

/// Parses one line with all checks. The result is an edge, no edge (an empty line or comment), or
/// an error.
class LineParser {
 public:
  LineParser(std::string_view line, const LineFormat& format) : rest_(line), format_(format) {
    if (has_lone_return(line)) {
      fail(kLoneReturn, kLoneReturnWayOut);
      return;
    }
    const std::string_view word = next_word(rest_);
    if (word.empty() || word[0] == '#' || word[0] == '%') return;
    if (!id(word, from) || !id(next_word(rest_), to)) return;
    values = count_words(rest_);
    has_edge = format_.values == LineFormat::kAnyNumber || values == format_.values;
    if (!has_edge)
      fail(fmt::format("an entry with {} values instead of {}", values, format_.values),
           std::string(format_.values_way_out));
  }

  bool has_edge = false;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  int values = 0;
  std::optional<LineError> error;

 private:
  bool fail(std::string what, std::string way_out) {
    error = {0, std::move(what), std::move(way_out)};
    return false;
  }

  bool id(std::string_view word, std::uint64_t& number) {
    error = read_id(word, format_, number);
    return !error;
  }

  std::string_view rest_;
  const LineFormat& format_;
};

/// Parses two numbers followed by a blank or the line's end, and moves `at` past them.
bool parse_ids_fast(const char*& at, std::uint64_t& from, std::uint64_t& to) {
  if (!parse_number(at, from) || (*at != ' ' && *at != '\t')) return false;
  return parse_number(++at, to) && (*at == '\n' || is_blank(*at));
}

const char* end_of_line(const char* at, const char* end) {
  return static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
}

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::optional<LineError> first_error(std::string_view text, const LineFormat& format) {
  std::size_t lines = 0;
  for (const char *at = text.data(), *const end = at + text.size(); at != end; ++lines) {
    const char* const line_end = end_of_line(at, end);
    LineParser line(between(at, line_end), format);
    if (line.error) {
      line.error->line = lines;
      return line.error;
    }
    at = line_end + 1;
  }
  return {};
}

}  // namespace

template <class Id>
ParsedLines parse_edge_lines(std::string_view text, const LineFormat& format, EdgePair<Id>* out) {
  ParsedLines parsed;
  const char* at = text.data();
  const char* const end = at + text.size();
  const EdgePair<Id>* const out_begin = out;
  bool wrong = false;
  for (; at != end && !wrong; ++parsed.lines) {
    const char* after = at;
    std::uint64_t from;
    std::uint64_t to;
    int values = 0;
    if (parse_ids_fast(after, from, to)) [[likely]] {
      if (*after != '\n') {
        const char* const line_end = end_of_line(after, end);
        const std::string_view rest = between(after, line_end);
        wrong = has_lone_return(rest);
        values = count_words(rest);
        after = line_end;
      }
      wrong |= format.values != LineFormat::kAnyNumber && values != format.values;
    } else {
      after = end_of_line(at, end);
      const LineParser line(between(at, after), format);
      wrong = line.error.has_value();
      if (!line.has_edge) {
        at = after + 1;
        continue;
      }
      from = line.from;
      to = line.to;
      values = line.values;
    }
    at = after + 1;
    parsed.with_values |= values > 0;
    from -= format.first_id;  // 0 in Matrix Market wraps to the greatest number, which is refused
    to -= format.first_id;
    parsed.max_id = std::max({parsed.max_id, from, to});
    *out++ = {static_cast<Id>(from), static_cast<Id>(to)};
  }
  parsed.edges = static_cast<std::size_t>(out - out_begin);
  if (wrong || (parsed.edges > 0 && parsed.max_id >= format.last_id + 1 - format.first_id))
    parsed.error = first_error(text, format);
  return parsed;
}

template ParsedLines parse_edge_lines(std::string_view, const LineFormat&,
                                      EdgePair<std::uint32_t>*);
template ParsedLines parse_edge_lines(std::string_view, const LineFormat&,
                                      EdgePair<std::uint64_t>*);

}  // namespace Atoll::graph
