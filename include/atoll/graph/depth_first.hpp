// Depth-first traversal by one thread, without recursion: step by step, a node is entered or left.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/graph/nil.hpp"

namespace Atoll::graph {

template <class Node, class Edge>
class DepthFirst {
 public:
  /// Of a graph with so many nodes. Takes a bit for each, and an id and an edge for each on the
  /// way.
  explicit DepthFirst(std::size_t nodes) : entered_(nodes, false) {}

  /// The root is entered first, whatever the navigator says; nothing is if it is NIL.
  void start(Node root) {
    std::fill(entered_.begin(), entered_.end(), false);
    way_.clear();
    root_ = root;
    node_ = kNil<Node>;
  }

  /// Goes to the next event, and returns false at the end. Neighbours come in the order of their
  /// list; the navigator is asked for each that isn't entered, and one that it refuses may be
  /// entered later.
  template <class Navigator>
  bool step(const Edge* begin, const Node* node_idx, Navigator&& may_enter) {
    if (way_.empty()) {
      if (root_ == kNil<Node>) return false;
      enter(root_, begin);
      root_ = kNil<Node>;
      return true;
    }
    for (Edge& next = way_.back().next; next < begin[way_.back().node + 1];) {
      const Node node = node_idx[next++];
      if (entered_[node] || !may_enter(node)) continue;
      enter(node, begin);
      return true;
    }
    entering_ = false;
    node_ = way_.back().node;
    way_.pop_back();
    return true;
  }

  /// The node that is entered or left.
  [[nodiscard]] Node node() const { return node_; }
  /// True if node() is entered, false if it is left.
  [[nodiscard]] bool entering() const { return entering_; }

 private:
  struct Step {
    Node node;
    Edge next;  ///< to follow
  };

  void enter(Node node, const Edge* begin) {
    entered_[node] = true;
    way_.push_back({node, begin[node]});
    node_ = node;
    entering_ = true;
  }

  std::vector<bool> entered_;
  std::vector<Step> way_;
  Node root_ = kNil<Node>;
  Node node_ = kNil<Node>;
  bool entering_ = false;
};

}  // namespace Atoll::graph
