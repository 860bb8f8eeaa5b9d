// The assignment of a team's threads to processing units, as a value. The module `threads` applies
// it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll {

/// The place of one thread.
struct ThreadPlace {
  int pu = 0;   ///< the system's number of the processing unit
  NodeId node;  ///< the initiator that the processing unit belongs to
  friend bool operator==(const ThreadPlace&, const ThreadPlace&) = default;
};

/// The place of each thread i, and the proximity of the machine's nodes.
struct ThreadPlaces : std::vector<ThreadPlace> {
  using std::vector<ThreadPlace>::vector;
  /// For each node of the machine, the nodes with processing units, nearest first. For a node with
  /// processing units, this is its latency ordering; for another memory, they are sorted by their
  /// latency to it. Empty: unknown.
  std::map<NodeId, std::vector<NodeId>> near;
};

/// Assigns neighbouring threads to neighbouring cores, one thread to each core before a core gets a
/// second one. `threads` = 0 means one for each core. Threads in excess of the processing units
/// wrap around.
[[nodiscard]] ThreadPlaces compact_places(const Machine& machine, int threads = 0);
/// Distributes threads evenly (±1) over the nodes. The threads of a node have consecutive numbers,
/// so equal parts of an array in thread order are equal parts by node.
[[nodiscard]] ThreadPlaces spread_places(const Machine& machine, int threads = 0);
/// Assigns thread i to pus[i], the system's number of a processing unit. Throws Error (input) if
/// the machine has no such unit.
[[nodiscard]] ThreadPlaces listed_places(const Machine& machine, std::span<const int> pus);

/// The nodes that have threads, ascending, without duplicates.
[[nodiscard]] std::vector<NodeId> nodes_of(const ThreadPlaces& places);
/// The number of threads on `node`.
[[nodiscard]] int threads_on(const ThreadPlaces& places, NodeId node);

}  // namespace Atoll
