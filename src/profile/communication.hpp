// Communication between threads [hashsieve §V.A.1]: the matrix, and how structured it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "atoll/profile/profile.hpp"
#include "plan/affinity_matrix.hpp"

namespace Atoll::profile {

class CommunicationMatrix : public detail::AffinityMatrix {
 public:
  using AffinityMatrix::AffinityMatrix;
  CommunicationMatrix(const Communication& pairs, std::size_t threads);

  /// Returns the matrix of these threads alone, in their order.
  [[nodiscard]] CommunicationMatrix of_threads(std::span<const std::size_t> threads) const;
  /// Returns the matrix of at most `bins` blocks of equally many neighbouring threads (the last may
  /// have fewer): for each two blocks, or within one, the mean over the pairs of threads.
  [[nodiscard]] CommunicationMatrix binned(std::size_t bins) const;
};

/// Returns the matrix of a profile's first threads, at most kCommunicatingThreads.
[[nodiscard]] CommunicationMatrix communication_of(const Profile& profile);

/// Returns the two threads, the lesser first, that have at least `share` of all communication, if
/// any.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> main_pair(
    const CommunicationMatrix& matrix, double share);

/// Returns how much more of the communication the best equal groups of threads keep inside than
/// random ones do. 0: it is uniform, so no mapping of threads helps. 1: the groups don't
/// communicate with each other. The score doesn't depend on how threads are numbered.
/// docs/analyses.md has the formula.
[[nodiscard]] double structure_score(const CommunicationMatrix& matrix);

}  // namespace Atoll::profile
