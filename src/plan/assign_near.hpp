// Assigns parties to seats, so that those that communicate much sit near each other: a quadratic
// assignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/affinity_matrix.hpp"

namespace Atoll::detail {

/// For up to so many parties all assignments are tried (8! is 40,320), and the best one is found.
inline constexpr std::size_t kMaxExact = 8;

/// Sum over pairs of parties of communication × distance of their seats. Party i is on seats[i].
[[nodiscard]] double cost_of(const AffinityMatrix& communication, const DistanceMatrix& distances,
                             const std::vector<std::uint32_t>& seats);

/// Returns a seat for each party, at least cost. kinds[i] is the kind of party i and of seat i: a
/// party only gets a seat of its own kind. Party i keeps seat i if no assignment is better.
///
/// More than kMaxExact parties are assigned greedily, beginning with the party that communicates
/// most. Then two exchange seats as long as that is better, in at most 20 passes over all pairs.
/// The same is done from the assignment where party i has seat i. So no exchange of two would help,
/// but the best assignment may be better. Time: 40 n^3 at most.
[[nodiscard]] std::vector<std::uint32_t> assign_near(const AffinityMatrix& communication,
                                                     const DistanceMatrix& distances,
                                                     const std::vector<std::size_t>& kinds);

}  // namespace Atoll::detail
