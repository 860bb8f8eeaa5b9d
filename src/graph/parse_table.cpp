// The first line that isn't empty determines the field separator.
#include "graph/parse_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "atoll/base/error.hpp"
#include "graph/column_names.hpp"

namespace Atoll::graph {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

ParsedText parse_table(TextReader& reader, const Team& team, const TextRequest& request) {
  const TextOptions& options = request.text;
  FieldFormat format;
  format.ids = ids_of(request);
  format.words = options.ids == TextOptions::Ids::relabel;
  ParsedText text;
  if (is_number(options.from) && is_number(options.to)) {
    format.separator = separator_of(first_line(reader));
    format.from = column_number(options.from, "--columns");
    format.to = column_number(options.to, "--columns");
    for (const auto& value : options.values) format.values.push_back(column_number(value.column));
    parse_all_fields(text, reader, team, format, request);
    return text;
  }
  std::string header;
  while (header.find_first_not_of(" \t\r") == std::string::npos)
    if (!reader.read_line(header))
      throw Error::input(reader.source().name(), "no line with the columns' names",
                         "give columns by their numbers: --columns 1,2");
  format.comment_signs = "";  // a field may begin with '#'
  format.separator = separator_of(header);
  std::vector<std::string_view> names;
  std::deque<std::string> unquoted;
  const auto column = [&](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw Error::input(
          reader.where(), fmt::format("no column '{}'", name),
          fmt::format("its columns are {}",
                      fmt::join(names.begin(),
                                names.begin() + std::min<std::ptrdiff_t>(
                                                    8, static_cast<std::ptrdiff_t>(names.size())),
                                ", ")));
    return static_cast<std::size_t>(found - names.begin());
  };
  if (!split_fields(header, format.separator, names, unquoted))
    throw Error::input(reader.where(), "a quote that isn't closed", "close it on the same line");
  format.from = column(options.from);
  format.to = column(options.to);
  for (const auto& value : options.values) format.values.push_back(column(value.column));
  parse_all_fields(text, reader, team, format, request);
  return text;
}

}  // namespace Atoll::graph
