// Maps threads to nodes and processing units by their communication [hashsieve §V.A.1]: threads
// that communicate to one node, groups of them to nodes that are close, pairs of them to one core
// or cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/affinity_matrix.hpp"
#include "profile/communication.hpp"
#include "profile/places.hpp"

namespace Atoll::profile {

using detail::DistanceMatrix;

struct ThreadMap {
  std::vector<std::uint32_t> nodes;  ///< by thread of the matrix: position in Places::nodes
  /// By thread: the processing units of the core or cache that it shares with the threads it
  /// communicates with most. Empty in three cases: all units of its node have equal distances, the
  /// node has too few units, or the thread doesn't communicate within its node.
  std::vector<std::vector<int>> units;
  /// Fraction of the communication that is inside nodes, with the new mapping and with the old one.
  /// If distances between nodes differ, also the mean distance of all communication.
  std::string outcome;
};

/// Returns the additional distance to another node's memory, compared with the own one, for each
/// two of `nodes` (memories next to processing units). It is in the units of the machine's
/// distances: the mean of both directions, at least 1.
[[nodiscard]] DistanceMatrix distances_between(const Machine& machine,
                                               const std::vector<NodeId>& nodes);
/// Returns the tree distance of each two processing units: the number of levels shared by several
/// units (cores, caches) below their first common level. 0: the same unit; 1: two units of one
/// core.
[[nodiscard]] DistanceMatrix distances_between_units(const Machine& machine,
                                                     const std::vector<int>& units);

/// Maps the matrix's threads to nodes and units. `places` has their current nodes; each node keeps
/// its number of threads.
[[nodiscard]] ThreadMap map_threads(const CommunicationMatrix& matrix, const Machine& machine,
                                    const Places& places);

}  // namespace Atoll::profile
