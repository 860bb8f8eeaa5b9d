// Queries on lists of neighbours. The neighbours of node n are node_idx[begin[n]] …
// node_idx[begin[n + 1] - 1], in ascending order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace Atoll::graph {

/// True if there is an edge from `from` to `to`. Takes O(log(degree of `from`)).
template <class Edge, class Node, class From, class To>
[[nodiscard]] bool has_edge(const Edge* begin, const Node* node_idx, From from, To to) {
  return std::binary_search(node_idx + begin[from], node_idx + begin[from + 1],
                            static_cast<Node>(to));
}

/// Returns the source node of an edge. Takes O(log nodes).
template <class Node, class Edge, class Id>
[[nodiscard]] Node edge_source(const Edge* begin, std::size_t nodes, Id edge) {
  const Edge* const end = begin + nodes + 1;
  return static_cast<Node>(std::upper_bound(begin, end, static_cast<Edge>(edge)) - begin - 1);
}

/// The nodes that are in two sorted lists, ascending, each once. It is a range:
///   for (const Node c : common_neighbours(begin, node_idx, a, b)) …
/// All of them cost O(s log(l / s)) for lists of s and l ≥ s nodes.
template <class Node>
class CommonNeighbours {
 public:
  struct End {};
  /// Iterates over the common nodes.
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;

    Iterator(const Node* a, const Node* a_end, const Node* b, const Node* b_end) noexcept
        : a_(a), a_end_(a_end), b_(b), b_end_(b_end) {
      find();
    }
    Node operator*() const noexcept { return *a_; }
    Iterator& operator++() noexcept {
      for (const Node last = *a_; a_ != a_end_ && *a_ == last;) ++a_;
      find();
      return *this;
    }
    void operator++(int) noexcept { ++*this; }
    friend bool operator==(const Iterator& at, End /*end*/) noexcept { return at.a_ == at.a_end_; }

   private:
    /// Advances both positions to the next common node. If there is none, sets a_ to a_end_.
    void find() noexcept {
      while (a_ != a_end_) {
        b_ = skip_to(b_, b_end_, *a_);
        if (b_ == b_end_) a_ = a_end_;
        if (a_ == a_end_ || *a_ == *b_) return;
        a_ = skip_to(a_, a_end_, *b_);
      }
    }
    /// Returns the first position whose node is at least `node`, by exponential, then binary
    /// search.
    static const Node* skip_to(const Node* from, const Node* end, Node node) noexcept {
      std::ptrdiff_t step = 1;
      while (step < end - from && from[step] < node) {
        from += step;
        step *= 2;
      }
      return std::lower_bound(from, from + std::min(step + 1, end - from), node);
    }

    const Node* a_;
    const Node* a_end_;
    const Node* b_;
    const Node* b_end_;
  };

  CommonNeighbours(const Node* a, const Node* a_end, const Node* b, const Node* b_end) noexcept
      : begin_(a, a_end, b, b_end) {}
  [[nodiscard]] Iterator begin() const noexcept { return begin_; }
  [[nodiscard]] End end() const noexcept { return {}; }

 private:
  Iterator begin_;
};

/// The nodes that both `a` and `b` have edges to. `a` and `b` may be the same node.
template <class Edge, class Node, class A, class B>
[[nodiscard]] CommonNeighbours<Node> common_neighbours(const Edge* begin, const Node* node_idx, A a,
                                                       B b) noexcept {
  return {node_idx + begin[a], node_idx + begin[a + 1], node_idx + begin[b],
          node_idx + begin[b + 1]};
}

}  // namespace Atoll::graph
