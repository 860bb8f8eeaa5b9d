// Computes figures of a graph. One parallel pass over the nodes finds each edge's reverse edge by
// binary search. Components are found with union-find.
#include "atoll/graph/describe.hpp"

#include <algorithm>
#include <bit>

#include "atoll/parallel/for_each.hpp"

namespace Atoll::graph {
namespace {

Figures combine(Figures a, const Figures& b) {
  a.max_out_degree = std::max(a.max_out_degree, b.max_out_degree);
  a.max_in_degree = std::max(a.max_in_degree, b.max_in_degree);
  a.dangling += b.dangling;
  a.isolated += b.isolated;
  a.self_loops += b.self_loops;
  a.duplicates += b.duplicates;
  a.symmetric = a.symmetric && b.symmetric;
  if (a.out_degrees.size() < b.out_degrees.size()) a.out_degrees.resize(b.out_degrees.size());
  for (std::size_t i = 0; i < b.out_degrees.size(); ++i) a.out_degrees[i] += b.out_degrees[i];
  return a;
}

template <class Node, class Edge>
struct Rows {
  std::span<const Edge> begin;
  std::span<const Node> node_idx;

  explicit Rows(const Graph& graph)
      : begin(graph.ids<Edge>(Section::begin)), node_idx(graph.ids<Node>(Section::node_idx)) {}
  [[nodiscard]] std::span<const Node> operator[](std::uint64_t node) const {
    return node_idx.subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

template <class Node, class Edge>
Figures describe_nodes(const Rows<Node, Edge>& rows, std::span<const Edge> r_begin,
                       std::uint64_t first, std::uint64_t last) {
  Figures figures;
  for (std::uint64_t node = first; node < last; ++node) {
    const std::span<const Node> row = rows[node];
    const std::uint64_t in_degree = r_begin[node + 1] - r_begin[node];
    figures.max_out_degree = std::max<std::uint64_t>(figures.max_out_degree, row.size());
    figures.max_in_degree = std::max(figures.max_in_degree, in_degree);
    figures.dangling += row.empty() ? 1 : 0;
    figures.isolated += row.empty() && in_degree == 0 ? 1 : 0;
    const auto slot = static_cast<std::size_t>(std::bit_width(row.size()));
    if (figures.out_degrees.size() <= slot) figures.out_degrees.resize(slot + 1);
    ++figures.out_degrees[slot];
    for (std::size_t i = 0; i < row.size(); ++i) {
      figures.self_loops += row[i] == node ? 1 : 0;
      figures.duplicates += i > 0 && row[i] == row[i - 1] ? 1 : 0;
      const std::span<const Node> back = rows[row[i]];
      figures.symmetric = figures.symmetric &&
                          std::binary_search(back.begin(), back.end(), static_cast<Node>(node));
    }
  }
  return figures;
}

template <class Node>
Node root_of(std::vector<Node>& parent, Node node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

}  // namespace

Figures describe(Graph& graph, const Team& team) {
  graph.require(Section::r_begin, team);
  return with_id_types(graph, [&]<class Node, class Edge>() {
    const Rows<Node, Edge> rows(graph);
    const auto r_begin = graph.ids<Edge>(Section::r_begin);
    return reduce_chunks(
        team, graph.nodes(), LoopSchedule::dynamic, Figures{},
        [&](std::size_t first, std::size_t last) {
          return describe_nodes(rows, r_begin, first, last);
        },
        combine);
  });
}

Components weak_components(const Graph& graph) {
  return with_id_types(graph, [&]<class Node, class Edge>() {
    const Rows<Node, Edge> rows(graph);
    std::vector<Node> parent(graph.nodes());
    for (std::uint64_t node = 0; node < graph.nodes(); ++node)
      parent[node] = static_cast<Node>(node);
    for (std::uint64_t node = 0; node < graph.nodes(); ++node)
      for (const Node other : rows[node]) {
        const Node a = root_of(parent, static_cast<Node>(node));
        const Node b = root_of(parent, other);
        parent[std::max(a, b)] = std::min(a, b);
      }
    std::vector<Node> size(graph.nodes());
    Components components;
    for (std::uint64_t node = 0; node < graph.nodes(); ++node) {
      const Node root = root_of(parent, static_cast<Node>(node));
      components.count += root == node ? 1 : 0;
      components.largest = std::max<std::uint64_t>(components.largest, ++size[root]);
    }
    return components;
  });
}

}  // namespace Atoll::graph
