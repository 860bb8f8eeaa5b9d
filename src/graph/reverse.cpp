// Builds the rows of the in-edges from those of the out-edges. The edges are distributed stably
// over ranges of targets in ascending order. The sources (and edge ids) of a row are therefore
// ascending without a sort.
#include <algorithm>
#include <cstring>

#include "base/activity.hpp"
#include "graph/buckets.hpp"
#include "graph/build.hpp"

namespace Atoll::graph {
namespace {

struct Nothing {};

/// Calls visit(source, edge) for the edges first … last-1.
template <class Edge, class Visit>
void for_each_edge(const Edge* begin, std::uint64_t nodes, std::uint64_t first, std::uint64_t last,
                   Visit&& visit) {
  if (first >= last) return;
  auto source =
      static_cast<std::uint64_t>(std::upper_bound(begin, begin + nodes + 1, first) - begin) - 1;
  for (std::uint64_t edge = first; edge < last; ++source)
    for (const std::uint64_t end = std::min<std::uint64_t>(begin[source + 1], last); edge < end;
         ++edge)
      visit(source, edge);
}

/// Builds r_begin. Unless Value is Nothing, also stores value_of(source, edge) of each in-edge in
/// `values`.
template <class Node, class Edge, class Value, class ValueOf>
void reverse(Graph::State& state, const Team& team, Graph::State::Content& values,
             ValueOf&& value_of) {
  const auto* begin = reinterpret_cast<const Edge*>(state.section(Section::begin).bytes.data());
  const auto* targets =
      reinterpret_cast<const Node*>(state.section(Section::node_idx).bytes.data());
  const std::uint64_t nodes = state.nodes;
  const std::uint64_t edges = state.edges;
  const auto parts = static_cast<std::size_t>(team.size()) * 4;
  const auto buckets =
      distribute<Node, Value>(team, nodes, parts, [&](std::size_t part, bool, auto&& sink) {
        for_each_edge(begin, nodes, edges / parts * part + std::min(part, edges % parts),
                      edges / parts * (part + 1) + std::min(part + 1, edges % parts),
                      [&](std::uint64_t source, std::uint64_t edge) {
                        sink(targets[edge], value_of(source, edge));
                      });
      });

  Buffer<Edge> r_begin(nodes + 1);
  constexpr bool with_values = !std::is_same_v<Value, Nothing>;
  Buffer<Value> r_values(with_values ? edges : 0);
  const std::size_t count = buckets.begin.size() - 1;
  for_each_part(team, count, [&](std::size_t b) {
    const std::uint64_t first = std::uint64_t{b} << buckets.shift;
    const std::uint64_t keys = std::min(nodes, std::uint64_t{b + 1} << buckets.shift) - first;
    std::vector<Edge> next(keys + 1);
    for (std::uint64_t i = buckets.begin[b]; i < buckets.begin[b + 1]; ++i)
      ++next[buckets.entries[i].key - first + 1];
    next[0] = static_cast<Edge>(buckets.begin[b]);
    for (std::uint64_t key = 0; key < keys; ++key)
      next[key + 1] = static_cast<Edge>(next[key + 1] + next[key]);
    std::copy_n(next.data(), keys, &r_begin[first]);
    if constexpr (with_values)
      for (std::uint64_t i = buckets.begin[b]; i < buckets.begin[b + 1]; ++i) {
        const auto [key, value] = buckets.entries[i];
        r_values[next[key - first]++] = value;
      }
  });
  r_begin[nodes] = static_cast<Edge>(edges);

  if (auto& there = state.section(Section::r_begin); !there.there)
    adopt(there, std::move(r_begin));
  else if (std::memcmp(there.bytes.data(), r_begin.data(), there.bytes.size()) != 0)
    throw Error::input("graph", "its in-edges are not those of its out-edges",
                       "convert it again from its source");
  if constexpr (with_values) adopt(values, std::move(r_values));
}

template <class Node, class Edge>
void reverse(Graph::State& state, Section which, const Team& team) {
  auto& content = state.section(which);
  if (which == Section::r_node_idx)
    reverse<Node, Edge, Node>(state, team, content, [](std::uint64_t source, std::uint64_t) {
      return static_cast<Node>(source);
    });
  else if (which == Section::r_edge_idx)
    reverse<Node, Edge, Edge>(state, team, content, [](std::uint64_t, std::uint64_t edge) {
      return static_cast<Edge>(edge);
    });
  else
    reverse<Node, Edge, Nothing>(state, team, content,
                                 [](std::uint64_t, std::uint64_t) { return Nothing{}; });
}

}  // namespace

void build_reverse(Graph::State& state, Section which, const Team& team) {
  const Activity activity("building the in-edges");
  if (state.node_width == IdWidth::wide)
    reverse<std::uint64_t, std::uint64_t>(state, which, team);
  else if (state.edge_width == IdWidth::wide)
    reverse<std::uint32_t, std::uint64_t>(state, which, team);
  else
    reverse<std::uint32_t, std::uint32_t>(state, which, team);
}

}  // namespace Atoll::graph
