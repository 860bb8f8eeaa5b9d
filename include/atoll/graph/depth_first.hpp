// Depth-first traversal, step by step. The caller's own loop receives one event after the other, so
// it can stop at any event. The stack is a vector, so the depth is limited only by memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "atoll/graph/nil.hpp"

namespace Atoll::graph {

/// A traversal from a root that follows edges in ascending order of neighbours. Each node is
/// entered once, and left once later:
///   dfs.start(root);
///   while (dfs.step(begin, node_idx, may_enter))
///     if (dfs.entering()) … dfs.node() …   // InDFS
///     else … dfs.node() …                  // InPost
/// Not thread-safe. Memory: one bit for each node, and 16 bytes (8 to 12 with narrow ids) for each
/// node on the path from the root; the vector's capacity may be twice that. Construction takes
/// O(nodes) time, start() O(nodes entered since the last start()), so one object should serve many
/// traversals.
template <class Node, class Edge>
class DepthFirst {
 public:
  explicit DepthFirst(std::size_t nodes) : entered_((nodes + kBits - 1) / kBits) {}

  /// Starts a traversal with no node entered. If the root is NIL, there are no events.
  void start(Node root) {
    forget();
    stack_.clear();
    root_ = root;
    node_ = kNil<Node>;
  }

  /// Moves to the next event; returns false if there is none. The two arrays define the edges (with
  /// the reverse arrays, the traversal follows in-edges, as Green-Marl's G^) and must not change
  /// after start(). may_enter(node) is called when an edge to a node that isn't entered is
  /// followed, after all earlier events. It isn't called for the root. A refused node is offered
  /// again at the next edge to it.
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

  /// The current event: the node, and whether it is entered or left.
  [[nodiscard]] Node node() const noexcept { return node_; }
  [[nodiscard]] bool entering() const noexcept { return entering_; }
  [[nodiscard]] bool has_entered(Node node) const noexcept {
    return (entered_[node / kBits] >> (node % kBits) & 1U) != 0;
  }

 private:
  static constexpr std::size_t kBits = 64;
  struct StackEntry {
    Node node;
    Edge edge;  ///< the next edge to follow
  };

  void enter(Node node, const Edge* begin) {
    stack_.push_back({node, begin[node]});
    if (list_.size() < entered_.size()) list_.push_back(node);
    entered_[node / kBits] |= std::uint64_t{1} << (node % kBits);
    node_ = node;
    entering_ = true;
  }
  /// Clears the bits of entered nodes. If list_ may be incomplete (it is limited to the number of
  /// words in entered_), clears all bits.
  void forget() noexcept {
    if (list_.size() < entered_.size())
      for (const Node node : list_) entered_[node / kBits] = 0;
    else
      std::ranges::fill(entered_, 0);
    list_.clear();
  }

  std::vector<std::uint64_t> entered_;
  std::vector<Node> list_;
  std::vector<StackEntry> stack_;
  Node root_ = kNil<Node>;
  Node node_ = kNil<Node>;
  bool entering_ = false;
};

}  // namespace Atoll::graph
