// Which threads belong together: a mapping of threads to nodes that keeps communication inside, or
// at least near [hashsieve §V.A.1].
#pragma once

#include <cstdint>
#include <vector>

#include "plan/assign_near.hpp"

namespace Atoll::detail {

/// Thread i's node, for each thread of the matrix. `start` is a mapping to begin with, which is
/// kept where none is better, and has sizes[g] threads on node g: each group has as many. Groups
/// are on the nodes that they had in `start`, or where `distances`, of nodes, say that others are
/// nearer to those they communicate with: any node, or, without `room`, one that had as many
/// threads.
[[nodiscard]] std::vector<std::uint32_t> group_threads(const AffinityMatrix& matrix,
                                                       const std::vector<std::size_t>& sizes,
                                                       const std::vector<std::uint32_t>& start,
                                                       const DistanceMatrix& distances, bool room);

/// Thread i's group, for groups of these sizes, which together are all threads: so that as much
/// communication as can be found is inside groups.
[[nodiscard]] std::vector<std::uint32_t> best_groups(const AffinityMatrix& matrix,
                                                     const std::vector<std::size_t>& sizes);

/// The share of communication that is inside groups; 1 without communication.
[[nodiscard]] double inside_share(const AffinityMatrix& matrix,
                                  const std::vector<std::uint32_t>& groups);

}  // namespace Atoll::detail
