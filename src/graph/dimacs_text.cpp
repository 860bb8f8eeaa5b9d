// After their first letter, lines are parsed like those of an edge list.
#include "graph/dimacs_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "atoll/base/error.hpp"
#include "graph/build.hpp"
#include "graph/metis_head.hpp"

namespace Atoll::graph {
namespace {

constexpr std::array<DimacsProblem, 7> kProblems{{
    {"sp", "a", 1, false},
    {"max", "a", 1, false},
    {"min", "a", 3, false},
    {"asn", "a", 1, false},
    {"edge", "e", LineFormat::kAnyNumber, true},
    {"edges", "e", LineFormat::kAnyNumber, true},
    {"col", "e", LineFormat::kAnyNumber, true},
}};
constexpr const char* kHeadWayOut = "write 'p sp|max|min|asn|edge|col nodes edges'";

bool is_comment(std::string_view line) {
  return line.starts_with('c');
}

bool is_word(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

/// True for "p WORD number number", and for the first line of DIMACS' auxiliary files.
bool is_problem_line(std::string_view line) {
  if (next_word(line) != "p") return false;
  const std::string_view problem = next_word(line);
  return problem == "aux" ||
         (is_word(problem) && next_number(line) && next_number(line) && trimmed(line).empty());
}

bool is_named_so(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2"})
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  return std::ranges::any_of(std::array{".gr", ".col", ".clq", ".dimacs", ".max", ".min"},
                             [&](const char* ending) { return name.ends_with(ending); });
}

/// True if a line "c …" can't be an edge of a node named "c".
bool is_no_edge(std::string_view line) {
  int words = 0;
  while (!next_word(line).empty()) ++words;
  return words != 2 && words != 3;
}

}  // namespace

bool is_dimacs(std::string_view head, std::string_view name) {
  const bool whole = head.size() < kTextHeadBytes;
  bool comments = false, no_edges = false;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::string_view line = trimmed(head.substr(0, end));
    head.remove_prefix(std::min(head.size(), end == std::string_view::npos ? end : end + 1));
    if (line.empty()) continue;
    if (!is_comment(line)) return is_problem_line(line);
    comments = true;
    no_edges = no_edges || is_no_edge(line);
  }
  return comments && !whole && (no_edges || is_named_so(name));
}

DimacsHead take_dimacs_head(TextReader& reader) {
  for (std::string line; reader.read_line(line);) {
    std::string_view text = trimmed(line);
    if (text.empty() || is_comment(text)) continue;
    if (next_word(text) != "p")
      throw Error::input(reader.where(), "the line 'p PROBLEM nodes edges' comes first",
                         kHeadWayOut);
    const std::string_view name = next_word(text);
    const auto* const problem = std::ranges::find(kProblems, name, &DimacsProblem::name);
    if (problem == kProblems.end())
      throw Error::input(reader.where(),
                         name == "aux" ? "is an auxiliary file of DIMACS, which has no edges"
                                       : fmt::format("the problem {} is not one that has a graph",
                                                     in_quotes(name)),
                         kHeadWayOut);
    const auto nodes = next_number(text), edges = nodes ? next_number(text) : std::nullopt;
    if (!edges || !trimmed(text).empty() || *nodes > INT64_MAX || *edges > INT64_MAX)
      throw Error::input(reader.where(), "the line has not two numbers behind the problem",
                         kHeadWayOut);
    return {problem, *nodes, *edges};
  }
  throw Error::input(reader.where(), "the file ends before its line 'p PROBLEM nodes edges'",
                     kHeadWayOut);
}

ParsedText parse_dimacs(TextReader& reader, const Team& team, const TextRequest& request) {
  const DimacsHead head = take_dimacs_head(reader);
  const std::string head_where = reader.where();
  check_nodes_fit(head.nodes, head_where, request.budget);
  FieldFormat fields;
  fields.ids = {
      .first_id = 1,
      .last_id = head.nodes,
      .beyond_last = fmt::format("is beyond the {} nodes that {} gives", head.nodes, head_where),
      .beyond_last_way_out = "nodes count from 1",
      .values = head.problem->values,
      .values_way_out = "the line that begins with p says which numbers edges have"};
  fields.comment_signs = "c";
  fields.edge_letter = head.problem->edge_letter;
  fields.other_letters = "ndvx";
  for (const auto& value : request.text.values)
    fields.values.push_back(column_number(value.column));
  ParsedText text;
  parse_all_fields(text, reader, team, fields, request);
  text.nodes = head.nodes;
  text.declares_nodes = true;
  text.symmetric = head.problem->undirected;
  // Files of undirected graphs may list each edge once or from both ends, and count either number.
  const bool either_way =
      text.symmetric && (text.entries == 2 * head.edges || 2 * text.entries == head.edges);
  if (text.entries != head.edges && !either_way)
    throw Error::input(
        head_where,
        fmt::format("this line gives {} edges, but the file has {}", head.edges, text.entries),
        "is the file cut off? get it again, or correct the number");
  return text;
}

}  // namespace Atoll::graph
