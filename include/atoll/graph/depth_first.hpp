// Depth-first traversal, step by step: the caller's own loop gets one event after the other, so it
// may leave at any of them. The stack is a vector: a line of any length is traversed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "atoll/graph/nil.hpp"

namespace Atoll::graph {

/// A traversal from a root along edges in their order (neighbours ascending); each node is entered
/// and later left once:
///   dfs.start(root);
///   while (dfs.step(begin, node_idx, may_enter))
///     if (dfs.entering()) … dfs.node() …   // InDFS
///     else … dfs.node() …                  // InPost
/// For one thread. It takes a bit for each node and 16 bytes for each node on the way from the root
/// (8 to 12 with narrow ids), as its vector grows up to twice that. Constructing it costs O(nodes),
/// start() O(nodes entered since the last one): many traversals share one object.
template <class Node, class Edge>
class DepthFirst {
 public:
  explicit DepthFirst(std::size_t nodes) : entered_((nodes + kBits - 1) / kBits) {}

  /// Begins anew, with no node entered. A root that is NIL has no events.
  void start(Node root) {
    forget();
    stack_.clear();
    root_ = root;
    node_ = kNil<Node>;
  }

  /// Moves to the next event; returns false if there is none. Edges are those of the two arrays,
  /// the same ones from start() on (the reverse ones traverse the graph's G^). may_enter(node) is
  /// asked when an edge leads to a node that isn't entered, so after all events before; never of
  /// the root; of a node that it refused, again at the next edge.
  template <class Navigator>
  bool step(const Edge* begin, const Node* node_idx, Navigator&& may_enter) {
    if (root_ != kNil<Node>) {
      enter(std::exchange(root_, kNil<Node>), begin);
      return true;
    }
    if (stack_.empty()) return false;
    const Edge end = begin[stack_.back().node + 1];
    for (Edge& edge = stack_.back().edge; edge != end;) {
      const Node next = node_idx[edge++];
      if (has_entered(next) || !may_enter(next)) continue;
      enter(next, begin);
      return true;
    }
    node_ = stack_.back().node;
    entering_ = false;
    stack_.pop_back();
    return true;
  }
  bool step(const Edge* begin, const Node* node_idx) {
    return step(begin, node_idx, [](Node) { return true; });
  }

  /// The event: the node, and whether it is entered or left.
  [[nodiscard]] Node node() const noexcept { return node_; }
  [[nodiscard]] bool entering() const noexcept { return entering_; }
  [[nodiscard]] bool has_entered(Node node) const noexcept {
    return (entered_[node / kBits] >> (node % kBits) & 1U) != 0;
  }

 private:
  static constexpr std::size_t kBits = 64;
  struct OnTheWay {
    Node node;
    Edge edge;  ///< the next one to look at
  };

  void enter(Node node, const Edge* begin) {
    stack_.push_back({node, begin[node]});
    if (list_.size() < entered_.size()) list_.push_back(node);
    entered_[node / kBits] |= std::uint64_t{1} << (node % kBits);
    node_ = node;
    entering_ = true;
  }
  /// Clears the bits of the nodes entered; all bits if the list, no longer than there are words of
  /// bits, may lack some.
  void forget() noexcept {
    if (list_.size() < entered_.size())
      for (const Node node : list_) entered_[node / kBits] = 0;
    else
      std::ranges::fill(entered_, 0);
    list_.clear();
  }

  std::vector<std::uint64_t> entered_;
  std::vector<Node> list_;
  std::vector<OnTheWay> stack_;
  Node root_ = kNil<Node>;
  Node node_ = kNil<Node>;
  bool entering_ = false;
};

}  // namespace Atoll::graph
