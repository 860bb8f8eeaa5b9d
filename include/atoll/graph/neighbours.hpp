// Questions to lists of neighbours: those of node n are node_idx[begin[n]] … node_idx[begin[n + 1]
// - 1], in ascending order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace Atoll::graph {

/// True if there is an edge from `from` to `to`. O(log of from's edges).
template <class Edge, class Node, class From, class To>
[[nodiscard]] bool has_edge(const Edge* begin, const Node* node_idx, From from, To to) {
  return std::binary_search(node_idx + begin[from], node_idx + begin[from + 1],
                            static_cast<Node>(to));
}

/// The node that an edge leads from. O(log nodes).
template <class Node, class Edge, class Id>
[[nodiscard]] Node edge_source(const Edge* begin, std::size_t nodes, Id edge) {
  const Edge* const end = begin + nodes + 1;
  return static_cast<Node>(std::upper_bound(begin, end, static_cast<Edge>(edge)) - begin - 1);
}

/// The nodes that both have edges to, ascending, each once. O(edges of both).
template <class Edge, class Node, class A, class B>
[[nodiscard]] std::vector<Node> common_neighbours(const Edge* begin, const Node* node_idx, A a,
                                                  B b) {
  std::vector<Node> common;
  const Node* left = node_idx + begin[a];
  const Node* const left_end = node_idx + begin[a + 1];
  const Node* right = node_idx + begin[b];
  const Node* const right_end = node_idx + begin[b + 1];
  while (left != left_end && right != right_end) {
    if (*left < *right) {
      ++left;
    } else if (*right < *left) {
      ++right;
    } else {
      if (common.empty() || common.back() != *left) common.push_back(*left);
      ++left;
      ++right;
    }
  }
  return common;
}

}  // namespace Atoll::graph
