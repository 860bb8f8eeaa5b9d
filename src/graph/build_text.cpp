// Makes a graph from a parsed text: numbers nodes, builds rows, adds values and labels.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "base/activity.hpp"
#include "graph/build.hpp"
#include "graph/edge_values.hpp"
#include "graph/formats.hpp"
#include "graph/labels.hpp"
#include "graph/renumber.hpp"
#include "graph/vertices.hpp"
#include "graph/words.hpp"

namespace Atoll::graph {
namespace {

PairSpans spans_of(ParsedText& text) {
  PairSpans spans;
  for (auto& list : text.narrow)
    for (auto& block : list.blocks()) spans.narrow.emplace_back(block.pairs.data(), block.used);
  for (auto& list : text.wide)
    for (auto& block : list.blocks()) spans.wide.emplace_back(block.pairs.data(), block.used);
  for (auto& chunk : text.chunks) spans.wide.emplace_back(chunk.pairs.data(), chunk.pairs.size());
  return spans;
}

/// Returns the pairs of edges and vertices.
PairSpans spans_of_all(ParsedText& text) {
  PairSpans spans = spans_of(text);
  for (auto& chunk : text.vertices) spans.wide.emplace_back(chunk.pairs.data(), chunk.pairs.size());
  return spans;
}

/// Numbers the words of vertices and edges; the words of vertices have the lower numbers.
std::vector<std::string> number_all_words(ParsedText& text, const Team& team) {
  const auto listed = static_cast<std::ptrdiff_t>(text.vertices.size());
  std::vector<FieldChunk> all = std::move(text.vertices);
  std::ranges::move(text.chunks, std::back_inserter(all));
  std::vector<std::string> labels = number_words(all, team);
  text.vertices.clear();
  text.chunks.clear();
  std::move(all.begin(), all.begin() + listed, std::back_inserter(text.vertices));
  std::move(all.begin() + listed, all.end(), std::back_inserter(text.chunks));
  return labels;
}

/// Replaces ids by node numbers. Returns a label for each node if the nodes were renumbered.
std::vector<std::string> number_nodes(ParsedText& text, const TextRequest& request,
                                      const std::string& name, const Team& team) {
  std::vector<std::string> labels;
  if (text.words) {
    labels = number_all_words(text, team);
    text.nodes = labels.size();
    return labels;
  }
  if (!request.may_relabel() || text.declares_nodes || text.nodes == 0) return labels;
  const PairSpans pairs = spans_of_all(text);
  if (!most_ids_are_unused(pairs, text.nodes, team)) return labels;
  const std::uint64_t first_id = request.text.one_based ? 1 : 0;
  const std::vector<std::uint64_t> ids = renumber(pairs, text.nodes, team);
  labels.reserve(ids.size());
  for (const std::uint64_t id : ids) labels.push_back(std::to_string(id + first_id));
  note(
      fmt::format("{}: {} of the ids up to {} have edges: nodes are numbered anew, their ids are "
                  "labels (--keep-ids: not so)",
                  name, format_count(ids.size()), format_count(ids.back() + first_id)));
  text.nodes = ids.size();
  return labels;
}

/// Reports dropped edges, or throws Error (input) if the request forbids duplicates.
void check_dropped(const DroppedEdges& dropped, const TextRequest& request, const std::string& name,
                   const std::function<std::string(std::uint64_t)>& label) {
  if (dropped.count == 0 || !request.build.deduplicate) return;
  if (request.build.duplicates == Duplicates::error)
    throw Error::input(name,
                       fmt::format("{} edges have the same ends as others, from {} to {} the first",
                                   format_count(dropped.count), in_quotes(label(dropped.from)),
                                   in_quotes(label(dropped.to))),
                       "leave them out, or choose with --duplicates which of their values to use");
  if (std::ranges::find(request.text.given, "--duplicates") == request.text.given.end())
    note(
        fmt::format("{}: {} edges dropped, as others have the same ends{} (--keep-duplicates: not "
                    "so)",
                    name, format_count(dropped.count),
                    request.text.values.empty()
                        ? ""
                        : "; the first one's values stay (--duplicates chooses others)"));
}

/// Copies the chunks' pairs into lists, one list for each chunk.
template <class Id>
std::vector<EdgeList<Id>> lists_of(const std::vector<FieldChunk>& chunks) {
  std::vector<EdgeList<Id>> lists(chunks.size());
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const std::size_t count = chunks[c].pairs.size();
    Buffer<EdgePair<Id>> pairs(count);
    for (std::size_t i = 0; i < count; ++i)
      pairs[i] = {static_cast<Id>(chunks[c].pairs[i].from), static_cast<Id>(chunks[c].pairs[i].to)};
    lists[c].blocks().push_back({std::move(pairs), count});
  }
  return lists;
}

/// Narrows pairs that were wide before the nodes were renumbered.
void narrow_lists(ParsedText& text) {
  for (auto& list : text.wide)
    for (auto& block : list.blocks()) {
      Buffer<EdgePair<std::uint32_t>> pairs(block.used);
      for (std::size_t i = 0; i < block.used; ++i)
        pairs[i] = {static_cast<std::uint32_t>(block.pairs[i].from),
                    static_cast<std::uint32_t>(block.pairs[i].to)};
      text.narrow.emplace_back().blocks().push_back({std::move(pairs), block.used});
      block = {};
    }
  text.wide.clear();
}

}  // namespace

Graph load_text(TextReader& reader, const Team& team, const TextRequest& request) {
  const std::string& name = reader.source().name();
  const Format& format = format_of(reader.peek(kTextHeadBytes), name, request.text);
  check_options(format, request.text, name);
  ParsedText vertices = read_vertices(team, request);
  ParsedText text = format.parse(reader, team, request);
  text.vertices = std::move(vertices.chunks);
  text.nodes = std::max(text.nodes, vertices.nodes);
  if (!text.declares_nodes && text.entries == 0 && text.nodes == 0 && text.vertices.empty() &&
      request.build.min_nodes == 0)
    throw Error::input(name, "no edges in it", "write 'source target' a line");
  const Activity activity("building the graph of " + name);
  const std::vector<std::string> labels = number_nodes(text, request, name, team);
  const auto label = [&](std::uint64_t node) {
    const std::uint64_t first_id = request.text.one_based || text.declares_nodes ? 1 : 0;
    return labels.empty() ? std::to_string(node + first_id) : labels[node];
  };
  if (!text.vertices.empty()) {
    check_vertices(text, spans_of(text), team, name, request, label);
    text.vertices.clear();
  }
  BuildOptions build = request.build;
  build.symmetrise |= text.symmetric;
  const bool narrow = std::max(text.nodes, build.min_nodes) < kNarrowBelow;
  if (narrow) narrow_lists(text);
  if (!text.chunks.empty()) {
    if (narrow)
      text.narrow = lists_of<std::uint32_t>(text.chunks);
    else
      text.wide = lists_of<std::uint64_t>(text.chunks);
    if (!request.by_fields()) text.chunks.clear();
  }
  auto state = build_rows(std::move(text.narrow), std::move(text.wide), text.nodes, team, build);
  DroppedEdges dropped{.count = build.symmetrise ? 0 : state->merged};
  if (request.by_fields()) {
    for (const auto& value : request.text.values) state->value_names.push_back(value.name);
    dropped = add_values(*state, text.chunks, text.mirrored, team, build);
  }
  check_dropped(dropped, request, name, label);
  if (!labels.empty()) set_labels(*state, labels);
  return Graph(std::move(state));
}

}  // namespace Atoll::graph
