// Groups a team's threads by node, and lists for each node the others in the order of stealing,
// nearest first. Loops use it to keep work local; it is computed once per team.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "atoll/machine/thread_places.hpp"

namespace Atoll {

/// A team's nodes and threads, and each node's order of stealing.
class Neighbours {
 public:
  /// `places` has at least one thread. If it has no distances between nodes, a node's nearest are
  /// those with higher numbers in ascending order, then those with lower ones.
  explicit Neighbours(const ThreadPlaces& places);

  /// A node with threads.
  struct Node {
    NodeId id;
    std::vector<std::size_t> threads;  ///< ascending
    std::vector<std::size_t> nearest;  ///< indices of all nodes(): itself, then nearest first
  };
  /// Position of a thread.
  struct ThreadPosition {
    std::size_t node = 0;  ///< index in nodes()
    std::size_t rank = 0;  ///< index among the node's threads
  };

  /// Returns the nodes with threads, ascending.
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t threads() const noexcept { return positions_.size(); }
  [[nodiscard]] ThreadPosition position_of(std::size_t thread) const noexcept {
    return positions_[thread];
  }
  /// Returns the index in nodes() of the node that is nearest to a memory: the memory's own node if
  /// it has threads. If no distance is known, any node.
  [[nodiscard]] std::size_t nearest_to(NodeId memory) const;

 private:
  std::vector<Node> nodes_;
  std::vector<ThreadPosition> positions_;
  std::map<NodeId, std::size_t> nearest_;  ///< known nearest nodes: indices in nodes_, by memory
};

}  // namespace Atoll
