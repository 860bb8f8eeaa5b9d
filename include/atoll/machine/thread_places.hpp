// The processing unit of each thread of a team, as a value. It is decided here and applied by
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

/// The place of each thread i, and how the machine's nodes lie to each other.
struct ThreadPlaces : std::vector<ThreadPlace> {
  using std::vector<ThreadPlace>::vector;
  /// For each node of the machine, the nodes with processing units, nearest first. A node with
  /// processing units lists them in its latency ordering, another memory by their latency to it.
  /// Empty means that this isn't known.
  std::map<NodeId, std::vector<NodeId>> near;
};

/// Puts neighbouring threads on neighbouring cores, one on each core before any core gets two.
/// `threads` = 0 means one for each core. More threads than processing units wrap around.
[[nodiscard]] ThreadPlaces compact_places(const Machine& machine, int threads = 0);
/// Puts as many threads on each node as on any other (±1). The threads of a node have consecutive
/// numbers, so that equal parts of an array in thread order are equal parts by node.
[[nodiscard]] ThreadPlaces spread_places(const Machine& machine, int threads = 0);
/// Puts thread i on pus[i], the system's number of a processing unit. Throws Error (input) if the
/// machine has no such unit.
[[nodiscard]] ThreadPlaces listed_places(const Machine& machine, std::span<const int> pus);

/// The nodes that have threads, ascending, each once.
[[nodiscard]] std::vector<NodeId> nodes_of(const ThreadPlaces& places);
/// The number of threads on `node`.
[[nodiscard]] int threads_on(const ThreadPlaces& places, NodeId node);

}  // namespace Atoll
