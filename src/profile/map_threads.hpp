// Where threads belong by their communication [hashsieve §V.A.1]: threads that communicate on one
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
  /// By thread: the processing units of the core or cache that it shares with its nearest threads.
  /// Empty if its node's units are all as far from each other, or too few, or if it doesn't
  /// communicate within the node.
  std::vector<std::vector<int>> units;
  /// How much of the communication is inside nodes, now and as it was; if nodes aren't equally far
  /// from each other, also the mean distance of all communication.
  std::string outcome;
};

/// Returns, for each two of `nodes` (memories next to processing units), how much farther the
/// other's memory is than the own one, in the units of the machine's distances: the mean of both
/// ways, at least 1.
[[nodiscard]] DistanceMatrix distances_between(const Machine& machine,
                                               const std::vector<NodeId>& nodes);
/// Returns, for each two processing units, how many of the places that several units share (cores,
/// caches) are not common to both, on the way up to the first common one: 0 for a unit and itself,
/// 1 for two of one core.
[[nodiscard]] DistanceMatrix distances_between_units(const Machine& machine,
                                                     const std::vector<int>& units);

/// Maps the matrix's threads to nodes and units. `places` has where they are now: each node keeps
/// its number of threads.
[[nodiscard]] ThreadMap map_threads(const CommunicationMatrix& matrix, const Machine& machine,
                                    const Places& places);

}  // namespace Atoll::profile
