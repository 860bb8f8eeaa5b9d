// Maps threads to nodes so that those that communicate are on one node, or at least on near ones
// [hashsieve §V.A.1].
#pragma once

#include <cstdint>
#include <vector>

#include "plan/assign_near.hpp"

namespace Atoll::detail {

/// Returns a node for each thread of the matrix. `start` is the initial mapping, with sizes[g]
/// threads on node g; it is kept if no other is better, and each group keeps its size. Groups stay
/// on the nodes that they had in `start`, unless `distances` of nodes say that others are nearer to
/// those they communicate with: any node, or, without `room`, one that had as many threads.
[[nodiscard]] std::vector<std::uint32_t> group_threads(const AffinityMatrix& matrix,
                                                       const std::vector<std::size_t>& sizes,
                                                       const std::vector<std::uint32_t>& start,
                                                       const DistanceMatrix& distances, bool room);

/// Returns a group for each thread. The sizes together are all threads, and as much communication
/// as can be found is inside groups.
[[nodiscard]] std::vector<std::uint32_t> best_groups(const AffinityMatrix& matrix,
                                                     const std::vector<std::size_t>& sizes);

/// The share of communication that is inside groups; 1 without communication.
[[nodiscard]] double inside_share(const AffinityMatrix& matrix,
                                  const std::vector<std::uint32_t>& groups);

}  // namespace Atoll::detail
