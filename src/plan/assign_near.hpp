// Who sits where, so that those that communicate much sit near each other: a quadratic assignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/affinity_matrix.hpp"

namespace Atoll::detail {

/// Up to so many parties all assignments are tried (8! is 40,320), and the best one is found.
inline constexpr std::size_t kMostExact = 8;

/// Sum over pairs of parties of communication × distance of their seats; party i is on seats[i].
[[nodiscard]] double cost_of(const AffinityMatrix& communication, const DistanceMatrix& distances,
                             const std::vector<std::uint32_t>& seats);

/// A seat for each party, at least cost. kinds[i] is party i's and seat i's: a party only gets a
/// seat of its own kind. Party i keeps seat i where no assignment is better.
///
/// More than kMostExact parties: grown from the party that communicates most, then two change seats
/// as long as that is better, in at most 20 passes over all pairs; the same from where all are. So
/// no exchange of two would help, but the best one may be better. Time: 40 n^3 at most.
[[nodiscard]] std::vector<std::uint32_t> assign_near(const AffinityMatrix& communication,
                                                     const DistanceMatrix& distances,
                                                     const std::vector<std::size_t>& kinds);

}  // namespace Atoll::detail
