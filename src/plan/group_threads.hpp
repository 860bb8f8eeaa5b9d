// Maps threads to nodes so that threads that communicate are on the same node, or else on nodes
// that are close [hashsieve §V.A.1].
#pragma once

#include <cstdint>
#include <vector>

#include "plan/assign_near.hpp"

namespace Atoll::detail {

/// Returns a node for each thread of the matrix. `start` is the initial mapping, with sizes[g]
/// threads on node g. It is kept if no other is better, and each group keeps its size. A group
/// moves to another node only if, by `distances`, that reduces the distance of its communication.
/// With `room`, any node is possible, otherwise only one with as many threads in `start`.
[[nodiscard]] std::vector<std::uint32_t> group_threads(const AffinityMatrix& matrix,
                                                       const std::vector<std::size_t>& sizes,
                                                       const std::vector<std::uint32_t>& start,
                                                       const DistanceMatrix& distances, bool room);

/// Returns a group for each thread, with as much communication as the search finds inside groups.
/// The sum of `sizes` is the number of threads.
[[nodiscard]] std::vector<std::uint32_t> best_groups(const AffinityMatrix& matrix,
                                                     const std::vector<std::size_t>& sizes);

/// Returns the fraction of communication that is inside groups; 1 without communication.
[[nodiscard]] double inside_share(const AffinityMatrix& matrix,
                                  const std::vector<std::uint32_t>& groups);

}  // namespace Atoll::detail
