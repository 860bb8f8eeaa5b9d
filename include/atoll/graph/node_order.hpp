// A sequence of distinct nodes. lock() is for threads that share it.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"

namespace Atoll::graph {

/// Distinct nodes in insertion order. A bitmap up to the greatest node records the members.
template <class Node>
class NodeOrder {
 public:
  /// Has no effect if the node is already a member.
  void push_back(Node node) {
    if (members_.add(node)) nodes_.push_back(node);
  }
  void push_front(Node node) {
    if (members_.add(node)) nodes_.push_front(node);
  }
  /// The order must not be empty.
  Node pop_back() {
    const Node node = nodes_.pop_back();
    members_.remove(node);
    return node;
  }
  /// The order must not be empty.
  Node pop_front() {
    const Node node = nodes_.pop_front();
    members_.remove(node);
    return node;
  }
  [[nodiscard]] bool has(Node node) const { return members_.has(node); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  void clear() {
    members_.clear();
    nodes_.clear();
  }
  /// The nodes from front to back.
  [[nodiscard]] std::vector<Node> items() const { return nodes_.items(); }

  [[nodiscard]] SpinLock::Guard lock() const { return nodes_.lock(); }
  friend bool operator==(const NodeOrder& a, const NodeOrder& b) { return a.nodes_ == b.nodes_; }

 private:
  NodeSequence<Node> nodes_;
  NodeSet<Node> members_;
};

}  // namespace Atoll::graph
