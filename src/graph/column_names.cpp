// Inspects the beginning of a text without consuming it.
#include "graph/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "graph/load_text.hpp"

namespace Atoll::graph {
namespace {

struct Line {
  std::size_t number = 0;  ///< from 1
  std::string text;
};

/// Returns the first `count` lines that are neither empty nor comments, or fewer if the text is
/// shorter.
std::vector<Line> first_lines(TextReader& reader, std::size_t count) {
  for (std::size_t wanted = kTextHeadBytes;; wanted *= 2) {
    const std::string_view seen = reader.peek(wanted);
    const bool whole = seen.size() < wanted;
    std::vector<Line> lines;
    std::size_t number = reader.lines_read();
    for (std::size_t at = 0; at < seen.size() && lines.size() < count;) {
      const std::size_t end = seen.find('\n', at);
      if (end == std::string_view::npos && !whole) break;
      ++number;
      const std::string_view line = trimmed(seen.substr(at, end - at));
      if (!line.empty() && line[0] != '#' && line[0] != '%')
        lines.push_back({number, std::string(line)});
      if (end == std::string_view::npos) break;
      at = end + 1;
    }
    if (lines.size() == count || whole || wanted > TextReader::kMaxLineBytes) return lines;
  }
}

bool begins_as_number(std::string_view word) {
  return !word.empty() && ((word[0] >= '0' && word[0] <= '9') || word[0] == '-' || word[0] == '+');
}

}  // namespace

char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

std::string first_line(TextReader& reader) {
  const std::vector<Line> lines = first_lines(reader, 1);
  return lines.empty() ? "" : lines[0].text;
}

std::string ColumnNames::option() const {
  const std::string both = names[0] + "," + names[1];
  return "--columns " + (both.find(' ') == std::string::npos ? both : "'" + both + "'");
}

std::optional<ColumnNames> find_column_names(TextReader& reader) {
  const std::vector<Line> lines = first_lines(reader, 2);
  if (lines.size() < 2) return std::nullopt;
  const char separator = separator_of(lines[0].text);
  std::vector<std::string_view> names, ids;
  std::deque<std::string> unquoted, unquoted_ids;
  if (!split_fields(lines[0].text, separator, names, unquoted) ||
      !split_fields(lines[1].text, separator, ids, unquoted_ids) || names.size() < 2 ||
      ids.size() < 2)
    return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i)
    if (names[i].empty() || begins_as_number(names[i]) || !begins_as_number(ids[i]) ||
        names[i].find(',') != std::string_view::npos)
      return std::nullopt;
  return ColumnNames{lines[0].number, {names.begin(), names.end()}};
}

}  // namespace Atoll::graph
