// Assigns parties to seats so that parties that communicate much are close to each other: a
// quadratic assignment problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/affinity_matrix.hpp"

namespace Atoll::detail {

/// Maximum number of parties for an exact search over all assignments (8! is 40,320).
inline constexpr std::size_t kMaxExact = 8;

/// Returns the sum over pairs of parties of communication × distance of their seats. Party i is on
/// seats[i].
[[nodiscard]] double cost_of(const AffinityMatrix& communication, const DistanceMatrix& distances,
                             const std::vector<std::uint32_t>& seats);

/// Returns a seat for each party with the least cost. kinds[i] is the kind of party i and of seat
/// i: a party only gets a seat of its own kind. Party i keeps seat i if no assignment is better.
///
/// More than kMaxExact parties are assigned greedily, beginning with the party that communicates
/// most. Then pairs of parties exchange seats while that reduces the cost, in at most 20 passes
/// over all pairs. The same exchanges are also made from the assignment of seat i to party i. So no
/// exchange of two parties would help, but a better assignment may exist. Time: at most 40 n^3.
[[nodiscard]] std::vector<std::uint32_t> assign_near(const AffinityMatrix& communication,
                                                     const DistanceMatrix& distances,
                                                     const std::vector<std::size_t>& kinds);

}  // namespace Atoll::detail
