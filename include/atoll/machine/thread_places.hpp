// Which processing unit each thread of a team runs on, as a value: decided here, applied by
// `threads`.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll {

/// One thread's place.
struct ThreadPlace {
  int pu = 0;   ///< the system's number of the processing unit
  NodeId node;  ///< the initiator it belongs to
  friend bool operator==(const ThreadPlace&, const ThreadPlace&) = default;
};

/// Thread i's place, for each i; and how the machine's nodes lie to each other.
struct ThreadPlaces : std::vector<ThreadPlace> {
  using std::vector<ThreadPlace>::vector;
  /// For each node of the machine, the nodes with processing units, nearest first: from such a node
  /// in its latency ordering, from another memory by their latency to it. Empty: isn't known.
  std::map<NodeId, std::vector<NodeId>> near;
};

/// `threads` = 0 means one for each core. More threads than processing units wrap around.
/// Neighbouring threads on neighbouring cores, one a core before two a core.
[[nodiscard]] ThreadPlaces compact_places(const Machine& machine, int threads = 0);
/// As many threads on each node as on any other (±1); the threads of a node have consecutive
/// numbers, so that equal parts of an array in thread order are equal parts by node.
[[nodiscard]] ThreadPlaces spread_places(const Machine& machine, int threads = 0);
/// The processing units by the system's numbers. Throws Error (input) for one the machine lacks.
[[nodiscard]] ThreadPlaces listed_places(const Machine& machine, std::span<const int> pus);

/// The nodes that have threads, ascending, each once.
[[nodiscard]] std::vector<NodeId> nodes_of(const ThreadPlaces& places);
/// How many of the threads are on `node`.
[[nodiscard]] int threads_on(const ThreadPlaces& places, NodeId node);

}  // namespace Atoll
