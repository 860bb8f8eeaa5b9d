// Builds the rows of the out-edges. Edges are distributed over ranges of source nodes. Within a
// range they are counted, placed by source, sorted by target and deduplicated, all in the cache.
// The peak memory with 32-bit ids is 16 bytes an edge: the pairs twice, or the pairs and the rows.
#include "graph/build.hpp"

#include <algorithm>
#include <cstring>

#include "graph/buckets.hpp"

namespace Atoll::graph {
namespace {

/// Places one bucket's entries by key and sorts each row. Overwrites the front of the entries with
/// the targets. degrees[i] becomes the length of the i-th row. Returns the number of remaining
/// entries.
template <class Id, class Edge>
std::uint64_t make_rows(Entry<Id, Id>* entries, std::uint64_t count, std::uint64_t first_key,
                        std::uint64_t keys, bool deduplicate, Edge* degrees) {
  if (count == 0) {
    std::fill_n(degrees, keys, Edge{0});
    return 0;
  }
  std::vector<Edge> next(keys + 1);
  for (std::uint64_t i = 0; i < count; ++i) ++next[entries[i].key - first_key + 1];
  for (std::uint64_t key = 0; key < keys; ++key) next[key + 1] += next[key];
  const auto targets = std::make_unique_for_overwrite<Id[]>(count);
  for (std::uint64_t i = 0; i < count; ++i)
    targets[next[entries[i].key - first_key]++] = entries[i].value;
  auto* const out = reinterpret_cast<std::byte*>(entries);
  std::uint64_t written = 0;
  Id* row = targets.get();
  for (std::uint64_t key = 0; key < keys; ++key) {
    Id* const row_end = targets.get() + next[key];
    std::sort(row, row_end);
    Id* const kept_end = deduplicate ? std::unique(row, row_end) : row_end;
    const auto degree = static_cast<std::uint64_t>(kept_end - row);
    if (degree > 0) std::memcpy(out + written * sizeof(Id), row, degree * sizeof(Id));
    degrees[key] = static_cast<Edge>(degree);
    written += degree;
    row = row_end;
  }
  return written;
}

template <class Id, class Edge>
std::unique_ptr<Graph::State> rows_from(Buckets<Id, Id> buckets, std::uint64_t nodes,
                                        const Team& team, bool deduplicate) {
  const std::size_t count = buckets.begin.size() - 1;
  const auto first_key = [&](std::size_t bucket) {
    return std::min(nodes, std::uint64_t{bucket} << buckets.shift);
  };
  Buffer<Edge> begin(nodes + 1);
  std::vector<std::uint64_t> start(count + 1);
  for_each_part(team, count, [&](std::size_t b) {
    const std::uint64_t first = first_key(b);
    start[b + 1] = make_rows<Id, Edge>(buckets.entries.data() + buckets.begin[b],
                                       buckets.begin[b + 1] - buckets.begin[b], first,
                                       first_key(b + 1) - first, deduplicate, &begin[first]);
  });
  for (std::size_t b = 0; b < count; ++b) start[b + 1] += start[b];
  Buffer<Id> node_idx(start[count]);
  for_each_part(team, count, [&](std::size_t b) {
    std::uint64_t offset = start[b];
    if (start[b + 1] > offset)
      std::memcpy(&node_idx[offset], buckets.entries.data() + buckets.begin[b],
                  (start[b + 1] - offset) * sizeof(Id));
    for (std::uint64_t node = first_key(b); node < first_key(b + 1); ++node) {
      const auto degree = static_cast<std::uint64_t>(begin[node]);
      begin[node] = static_cast<Edge>(offset);
      offset += degree;
    }
  });
  begin[nodes] = static_cast<Edge>(start[count]);

  auto state = std::make_unique<Graph::State>();
  state->nodes = nodes;
  state->edges = start[count];
  state->merged = buckets.begin.back() - start[count];
  state->node_width = kWidthOf<Id>;
  state->edge_width = kWidthOf<Edge>;
  adopt(state->section(Section::begin), std::move(begin));
  adopt(state->section(Section::node_idx), std::move(node_idx));
  return state;
}

/// Narrows edge ids if enough of the counted edges were duplicates.
void narrow_offsets(Graph::State& state) {
  auto& content = state.section(Section::begin);
  const auto* wide = reinterpret_cast<const std::uint64_t*>(content.bytes.data());
  Buffer<std::uint32_t> narrow(state.nodes + 1);
  for (std::uint64_t i = 0; i <= state.nodes; ++i) narrow[i] = static_cast<std::uint32_t>(wide[i]);
  adopt(content, std::move(narrow));
  state.edge_width = IdWidth::narrow;
}

}  // namespace

template <class Id>
std::unique_ptr<Graph::State> build_rows(std::vector<EdgeBlock<Id>> blocks, std::uint64_t nodes,
                                         const Team& team, const BuildOptions& options,
                                         std::uint64_t narrow_below) {
  auto buckets =
      distribute<Id, Id>(team, nodes, blocks.size(), [&](std::size_t part, bool last, auto&& sink) {
        const EdgeBlock<Id>& block = blocks[part];
        for (std::size_t i = 0; i < block.used; ++i) {
          const auto [from, to] = block.pairs[i];
          if (from == to && options.drop_self_loops) continue;
          sink(from, to);
          if (options.symmetrise && from != to) sink(to, from);
        }
        if (last) blocks[part] = {};
      });
  if constexpr (sizeof(Id) == 8) {
    return rows_from<Id, std::uint64_t>(std::move(buckets), nodes, team, options.deduplicate);
  } else {
    if (buckets.begin.back() < narrow_below)
      return rows_from<Id, std::uint32_t>(std::move(buckets), nodes, team, options.deduplicate);
    auto state = rows_from<Id, std::uint64_t>(std::move(buckets), nodes, team, options.deduplicate);
    if (state->edges < narrow_below) narrow_offsets(*state);
    return state;
  }
}

template std::unique_ptr<Graph::State> build_rows(std::vector<EdgeBlock<std::uint32_t>>,
                                                  std::uint64_t, const Team&, const BuildOptions&,
                                                  std::uint64_t);
template std::unique_ptr<Graph::State> build_rows(std::vector<EdgeBlock<std::uint64_t>>,
                                                  std::uint64_t, const Team&, const BuildOptions&,
                                                  std::uint64_t);

std::unique_ptr<Graph::State> build_rows(std::vector<EdgeList<std::uint32_t>> narrow,
                                         std::vector<EdgeList<std::uint64_t>> wide,
                                         std::uint64_t nodes, const Team& team,
                                         const BuildOptions& options) {
  nodes = std::max(nodes, options.min_nodes);
  if (nodes < kNarrowBelow && !options.wide_ids)
    return build_rows(gather_blocks<std::uint32_t>(narrow, wide), nodes, team, options);
  return build_rows(gather_blocks<std::uint64_t>(narrow, wide), nodes, team, options);
}

}  // namespace Atoll::graph
