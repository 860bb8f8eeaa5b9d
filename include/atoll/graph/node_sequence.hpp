// A sequence of nodes that may contain duplicates. Insertion and removal at both ends take O(1).
// lock() is for threads that share it.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

/// A sequence of nodes that may contain duplicates.
template <class Node>
class NodeSequence {
 public:
  void push_back(Node node) { nodes_.push_back(node); }
  void push_front(Node node) { nodes_.push_front(node); }
  /// The sequence must not be empty.
  Node pop_back() {
    const Node node = nodes_.back();
    nodes_.pop_back();
    return node;
  }
  /// The sequence must not be empty.
  Node pop_front() {
    const Node node = nodes_.front();
    nodes_.pop_front();
    return node;
  }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  void clear() { nodes_.clear(); }
  /// The nodes from front to back.
  [[nodiscard]] std::vector<Node> items() const { return {nodes_.begin(), nodes_.end()}; }

  [[nodiscard]] SpinLock::Guard lock() const { return lock_.guard(); }
  friend bool operator==(const NodeSequence&, const NodeSequence&) = default;

 private:
  std::deque<Node> nodes_;
  SpinLock lock_;
};

}  // namespace Atoll::graph
