// Right nodes get the numbers after the left ones, once the number of left nodes is known.
#include "graph/konect_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "graph/build.hpp"
#include "graph/metis_head.hpp"

namespace Atoll::graph {
namespace {

/// Returns the text after the '%'; std::nullopt if the line doesn't begin with '%'.
std::optional<std::string_view> behind_percent(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('%')) return std::nullopt;
  return line.substr(1);
}

std::optional<KonectHead::Sizes> sizes_in(std::string_view line) {
  std::optional<std::string_view> rest = behind_percent(line);
  if (!rest) return std::nullopt;
  const auto edges = next_number(*rest), left = edges ? next_number(*rest) : std::nullopt,
             right = left ? next_number(*rest) : std::nullopt;
  if (!right || !trimmed(*rest).empty()) return std::nullopt;
  return KonectHead::Sizes{*edges, *left, *right};
}

LineFormat side(std::string_view name, std::uint64_t last, const std::string& head_where) {
  return {
      .first_id = 1,
      .last_id = last,
      .beyond_last = fmt::format("is beyond the {} {} nodes that {} gives", last, name, head_where),
      .beyond_last_way_out = "the nodes of both sides count from 1"};
}

}  // namespace

bool is_konect_bipartite(std::string_view head) {
  std::optional<std::string_view> rest = behind_percent(head.substr(0, head.find('\n')));
  return rest && next_word(*rest) == "bip";
}

KonectHead take_konect_head(TextReader& reader) {
  KonectHead head;
  std::string line;
  static_cast<void>(reader.read_line(line));
  std::string_view rest = behind_percent(line).value_or("");
  static_cast<void>(next_word(rest));
  const std::string_view weights = next_word(rest);
  head.merged = weights == "positive" || weights.empty();
  const std::string_view next = reader.peek(kTextHeadBytes);
  head.sizes = sizes_in(next.substr(0, next.find('\n')));
  if (head.sizes) static_cast<void>(reader.read_line(line));
  return head;
}

ParsedText parse_konect_bipartite(TextReader& reader, const Team& team,
                                  const TextRequest& request) {
  const KonectHead head = take_konect_head(reader);
  const std::string head_where = reader.where();
  FieldFormat fields;
  fields.ids = {.first_id = 1};
  if (head.sizes) {
    const std::uint64_t nodes = head.sizes->left + head.sizes->right;
    check_nodes_fit(nodes < head.sizes->left ? UINT64_MAX : nodes, head_where, request.budget);
    fields.ids = side("left", head.sizes->left, head_where);
    fields.to_ids = side("right", head.sizes->right, head_where);
  }
  for (const auto& value : request.text.values)
    fields.values.push_back(column_number(value.column));
  ParsedText text;
  parse_all_fields(text, reader, team, fields, request);
  std::uint64_t left = 0, right = 0;
  for (const FieldChunk& chunk : text.chunks)
    for (std::size_t i = 0; i < chunk.pairs.size(); ++i) {
      left = std::max(left, chunk.pairs[i].from + 1);
      right = std::max(right, chunk.pairs[i].to + 1);
    }
  if (head.sizes) {
    left = head.sizes->left;
    right = head.sizes->right;
    if (!head.merged && text.entries != head.sizes->edges)
      throw Error::input(head_where,
                         fmt::format("this line gives {} edges, but the file has {}",
                                     head.sizes->edges, text.entries),
                         "is the file cut off? get it again, or correct the number");
  }
  check_nodes_fit(left + right, reader.source().name(), request.budget);
  for (FieldChunk& chunk : text.chunks)
    for (std::size_t i = 0; i < chunk.pairs.size(); ++i) chunk.pairs[i].to += left;
  text.nodes = left + right;
  text.declares_nodes = true;
  return text;
}

}  // namespace Atoll::graph
