// Groups the threads of a team by node, and lists for each node the others in the order in which
// its threads help them. Loops need this to keep work near; it is worked out once for a team.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "atoll/machine/thread_places.hpp"

namespace Atoll {

/// A team's nodes and threads, and the order in which nodes help each other.
class Neighbours {
 public:
  /// `places` has at least one thread. If it doesn't say how nodes lie to each other, a node's
  /// nearest are those with higher numbers, then those with lower ones.
  explicit Neighbours(const ThreadPlaces& places);

  /// A node with threads.
  struct Node {
    NodeId id;
    std::vector<std::size_t> threads;  ///< ascending
    std::vector<std::size_t> nearest;  ///< all of nodes(), by position: itself, then nearest first
  };
  /// Where a thread sits.
  struct Seat {
    std::size_t node = 0;  ///< position in nodes()
    std::size_t rank = 0;  ///< among the node's threads
  };

  /// The nodes with threads, ascending.
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t threads() const noexcept { return seats_.size(); }
  [[nodiscard]] Seat seat(std::size_t thread) const noexcept { return seats_[thread]; }
  /// The position in nodes() of the node nearest to a memory: the memory's own node if it has
  /// threads.
  [[nodiscard]] std::size_t nearest_to(NodeId memory) const;

 private:
  std::vector<Node> nodes_;
  std::vector<Seat> seats_;
  std::map<NodeId, std::size_t> nearest_;  ///< for nodes and memories whose nearest nodes are known
};

}  // namespace Atoll
