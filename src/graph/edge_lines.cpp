// The parser of lines. Nearly all lines are "digits, one blank or tab, digits, line break". Those
// are read without checking anything else. Every other line is read with care, and only there
// errors are distinguished.
#include "graph/edge_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "graph/digits.hpp"

namespace Atoll::graph {
std::string_view take_word(std::string_view& line) {
  const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto last = std::find_if(first, line.end(), is_blank);
  const std::string_view word(line.data() + (first - line.begin()),
                              static_cast<std::size_t>(last - first));
  line.remove_prefix(static_cast<std::size_t>(last - line.begin()));
  return word;
}

std::string quoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word.substr(0, 24)) text += c > ' ' && c <= '~' ? c : '?';
  return text + (word.size() > 24 ? "…'" : "'");
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
    return fail(quoted(word) + " is not a node id",
                word.find(',') != std::string_view::npos
                    ? "of a table with commas, name the columns: --columns FROM,TO"
                    : "node ids are decimal numbers; --relabel takes words");
  if (negative)
    return fail("node id " + quoted(word) + " is negative",
                fmt::format("number nodes from {}", format.first_id));
  if (problem == std::errc::result_out_of_range || number > INT64_MAX)
    return fail("node id " + quoted(word) + " is beyond 2^63 - 1", "number nodes without gaps");
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
  while (!take_word(line).empty()) ++count;
  return count;
}

/// Reads one line with care. It is an edge, nothing, or an error.
class CarefulLine {
 public:
  CarefulLine(std::string_view line, const LineFormat& format) : rest_(line), format_(format) {
    if (has_lone_return(line)) {
      fail(kLoneReturn, kLoneReturnWayOut);
      return;
    }
    const std::string_view word = take_word(rest_);
    if (word.empty() || word[0] == '#' || word[0] == '%') return;
    if (!id(word, from) || !id(take_word(rest_), to)) return;
    values = count_words(rest_);
    has_edge = format_.values == LineFormat::kAnyNumber || values == format_.values;
    if (!has_edge)
      fail(fmt::format("an entry with {} values instead of {}", values, format_.values),
           "the file's first line says which field its entries have");
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

/// Reads two numbers, then a blank or the line's end, and moves `at` there.
bool quick_ids(const char*& at, std::uint64_t& from, std::uint64_t& to) {
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
    CarefulLine line(between(at, line_end), format);
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
    if (quick_ids(after, from, to)) [[likely]] {
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
      const CarefulLine line(between(at, after), format);
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
    from -= format.first_id;  // 0 in Matrix Market becomes the largest number, and so is refused
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
