// Parses edge lists in parallel: each thread fetches chunks and parses them into its own pairs.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "graph/build.hpp"
#include "graph/column_names.hpp"
#include "graph/load_text.hpp"

namespace Atoll::graph {
namespace {

/// Parses into `narrow`, or into `wide` if an id needs more than 32 bits.
ParsedLines parse_chunk(std::string_view text, const LineFormat& format,
                        EdgeList<std::uint32_t>& narrow, EdgeList<std::uint64_t>& wide) {
  ParsedLines parsed = parse_edge_lines(text, format, narrow.room(max_edges(text)));
  if (parsed.error || parsed.max_id <= UINT32_MAX) {
    narrow.commit(parsed.edges);
  } else {
    parsed = parse_edge_lines(text, format, wide.room(max_edges(text)));
    wide.commit(parsed.edges);
  }
  return parsed;
}

/// Upper bound of the nodes of a graph whose ids are below `bound`.
std::uint64_t nodes_at_most(std::uint64_t bound, std::uint64_t entries,
                            const TextRequest& request) {
  return request.may_relabel() ? std::min(bound, 2 * entries) : bound;
}

}  // namespace

LineFormat ids_of(const TextRequest& request) {
  LineFormat format;
  format.first_id = request.text.one_based ? 1 : 0;
  format.relabels = true;
  if (request.may_relabel()) return format;
  const std::uint64_t most = most_nodes(request.budget);
  format.last_id = std::min<std::uint64_t>(most - 1 + format.first_id, INT64_MAX);
  format.beyond_last =
      fmt::format("is too large: the {} of memory available are enough for {} nodes",
                  format_bytes(request.budget), format_count(most));
  format.beyond_last_way_out =
      "number nodes anew with --relabel, or use a machine with more memory";
  return format;
}

void check_nodes_fit(std::uint64_t nodes, const std::string& where, std::uint64_t budget) {
  if (nodes > most_nodes(budget))
    throw Error::input(
        where,
        fmt::format("too large: {} nodes, and the {} of memory available are enough "
                    "for {}",
                    format_count(nodes), format_bytes(budget), format_count(most_nodes(budget))),
        "use a machine with more memory");
}

std::size_t column_number(const std::string& column, const char* option) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (problem != std::errc{} || end != column.data() + column.size() || number == 0)
    throw Error::input(option, fmt::format("'{}' is not a column's number", column),
                       "columns count from 1; names need --columns FROM,TO");
  return number - 1;
}

void parse_lines(ParsedText& text, TextReader& reader, const Team& team, const LineFormat& format,
                 const TextRequest& request) {
  text.narrow.resize(static_cast<std::size_t>(team.size()));
  text.wide.resize(static_cast<std::size_t>(team.size()));
  const std::uint64_t directions = text.symmetric || request.build.symmetrise ? 2 : 1;
  std::atomic<std::uint64_t> entries{0};
  std::atomic<std::uint64_t> nodes{0};
  std::atomic<bool> with_values{false};
  parse_chunks(reader, team, [&](std::size_t thread, const TextReader::Chunk& chunk) {
    ParsedLines parsed = parse_chunk(chunk.text, format, text.narrow[thread], text.wide[thread]);
    if (parsed.with_values) with_values = true;
    if (parsed.edges > 0)
      for (std::uint64_t most = nodes; most <= parsed.max_id;)
        if (nodes.compare_exchange_weak(most, parsed.max_id + 1)) break;
    const std::uint64_t all = entries += parsed.edges;
    const std::uint64_t id_bytes = nodes < kNarrowBelow ? 4 : 8;
    const std::uint64_t needed =
        build_bytes(nodes_at_most(nodes, all, request), directions * all, id_bytes);
    if (!parsed.error && needed > request.budget)
      parsed.error = {
          parsed.lines - 1,
          fmt::format("too large: {} edges up to here take {} to build, {} are "
                      "available",
                      format_count(all), format_bytes(needed), format_bytes(request.budget)),
          "use a smaller graph or a machine with more memory"};
    return ChunkResult{parsed.lines, std::move(parsed.error)};
  });
  text.entries = entries;
  text.nodes = std::max<std::uint64_t>(text.nodes, nodes);
  if (with_values)
    note(reader.source().name() +
         ": only the first two columns are used; --value NAME=COLUMN keeps others");
}

void parse_all_fields(ParsedText& text, TextReader& reader, const Team& team,
                      const FieldFormat& format, const TextRequest& request) {
  text.words = format.words;
  text.chunks = parse_fields(reader, team, format, request.budget);
  for (const FieldChunk& chunk : text.chunks) {
    text.entries += chunk.pairs.size();
    for (std::size_t i = 0; i < chunk.pairs.size(); ++i)
      text.nodes = std::max({text.nodes, chunk.pairs[i].from + 1, chunk.pairs[i].to + 1});
  }
  if (format.words) text.nodes = 0;  // the words aren't numbered yet
  const std::uint64_t needed = build_bytes(nodes_at_most(text.nodes, text.entries, request),
                                           text.entries, text.nodes < kNarrowBelow ? 4 : 8);
  if (needed > request.budget)
    throw Error::input(
        reader.source().name(),
        fmt::format("too large: its {} edges take {} to build, {} are available",
                    format_count(text.entries), format_bytes(needed), format_bytes(request.budget)),
        "use a smaller graph or a machine with more memory");
}

namespace {

/// Reports a first line with column names, which is otherwise parsed as an edge.
void check_first_line(TextReader& reader, bool words) {
  const std::optional<ColumnNames> found = find_column_names(reader);
  if (!found) return;
  const std::string where = fmt::format("{}:{}", reader.source().name(), found->line);
  if (words)
    note(fmt::format("{}: the line is read as an edge; {} reads it as the names of columns", where,
                     found->option()));
  else
    throw Error::input(where,
                       fmt::format("the line has names of columns, {}", in_quotes(found->names[0])),
                       "name those of the two ends: " + found->option());
}

/// Reports keys that some edges lack. Throws Error (input) if all edges lack a key.
void check_keys(const ParsedText& text, const FieldFormat& format, const std::string& name) {
  for (std::size_t i = 0; i < format.keys.size(); ++i) {
    std::uint64_t absent = 0;
    for (const FieldChunk& chunk : text.chunks) absent += chunk.columns[i].absent;
    if (absent == 0) continue;
    if (absent == text.entries)
      throw Error::input(name, fmt::format("no edge has a value of {}", in_quotes(format.keys[i])),
                         "name a key that the dictionaries have");
    note(fmt::format("{}: {} of {} edges have no {}: their value is NaN", name,
                     format_count(absent), format_count(text.entries), in_quotes(format.keys[i])));
  }
}

}  // namespace

ParsedText parse_edge_list(TextReader& reader, const Team& team, const TextRequest& request) {
  ParsedText text;
  const bool words = request.text.ids == TextOptions::Ids::relabel;
  check_first_line(reader, words);
  if (!words && !request.by_fields()) {
    parse_lines(text, reader, team, ids_of(request), request);
    return text;
  }
  FieldFormat format;
  format.ids = ids_of(request);
  format.words = words;
  for (const auto& value : request.text.values) {
    const bool is_column = value.column.find_first_not_of("0123456789") == std::string::npos;
    format.values.push_back(is_column ? column_number(value.column) : 0);
    format.keys.push_back(is_column ? "" : value.column);
  }
  parse_all_fields(text, reader, team, format, request);
  check_keys(text, format, reader.source().name());
  return text;
}

}  // namespace Atoll::graph
