// Which threads belong together: a mapping of threads to nodes that keeps communication inside
// [hashsieve §V.A.1].
#pragma once

#include <cstdint>
#include <vector>

#include "profile/communication.hpp"

namespace Atoll::profile {

/// Thread i's group, for each thread of the matrix; group g has sizes[g] threads at most. `start`
/// is a grouping to begin with, which is kept where none is better.
[[nodiscard]] std::vector<std::uint32_t> group_threads(const CommunicationMatrix& matrix,
                                                       const std::vector<std::size_t>& sizes,
                                                       const std::vector<std::uint32_t>& start);

/// The share of communication that is inside groups; 1 without communication.
[[nodiscard]] double inside_share(const CommunicationMatrix& matrix,
                                  const std::vector<std::uint32_t>& groups);

}  // namespace Atoll::profile
