// Nodes in an order, each once. lock() is for threads that share one.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"

namespace Atoll::graph {

/// Nodes in the order in which they were put in. A bit for each node up to the greatest says which
/// are in.
template <class Node>
class NodeOrder {
 public:
  /// A node that is in already stays where it is.
  void push_back(Node node) {
    if (members_.add(node)) nodes_.push_back(node);
  }
  void push_front(Node node) {
    if (members_.add(node)) nodes_.push_front(node);
  }
  /// The order isn't empty.
  Node pop_back() {
    const Node node = nodes_.pop_back();
    members_.remove(node);
    return node;
  }
  /// The order isn't empty.
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
  /// The nodes from the front to the back.
  [[nodiscard]] std::vector<Node> items() const { return nodes_.items(); }

  [[nodiscard]] SpinLock::Guard lock() const { return nodes_.lock(); }
  friend bool operator==(const NodeOrder& a, const NodeOrder& b) { return a.nodes_ == b.nodes_; }

 private:
  NodeSequence<Node> nodes_;
  NodeSet<Node> members_;
};

}  // namespace Atoll::graph
