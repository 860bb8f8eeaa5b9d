// Where threads belong by their communication [hashsieve §V.A.1]: those that communicate on one
// node, groups of them on near nodes, pairs of them on one core or cache.
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
  std::vector<std::uint32_t> nodes;  ///< by thread of the matrix: a position in Places::nodes
  /// By thread: the processing units of the core, or the cache, that it shares with its nearest
  /// ones; empty: its node's are as far from each other, or too few, or nothing of its
  /// communication is there.
  std::vector<std::vector<int>> units;
  /// How much of the communication is inside nodes and, where nodes aren't equally far from each
  /// other, at what mean distance all of it is; both also as it was.
  std::string outcome;
};

/// Of each two of `nodes`, memories next to processing units, how much farther it is to the other's
/// memory than to the own one: in the units of the machine's distances, the mean of both ways, at
/// least 1.
[[nodiscard]] DistanceMatrix distances_between(const Machine& machine,
                                               const std::vector<NodeId>& nodes);
/// Of each two processing units how many of the places that several units share (cores, caches)
/// are not common to both, on the way up to the first common one: 0 for a unit and itself, 1 for
/// two of one core.
[[nodiscard]] DistanceMatrix distances_between_units(const Machine& machine,
                                                     const std::vector<int>& units);

/// `places` is where the matrix's threads are now: as many threads on a node remain together.
[[nodiscard]] ThreadMap map_threads(const CommunicationMatrix& matrix, const Machine& machine,
                                    const Places& places);

}  // namespace Atoll::profile
