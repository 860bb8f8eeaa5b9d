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

  /// Of these threads alone, in their order.
  [[nodiscard]] CommunicationMatrix of_threads(std::span<const std::size_t> threads) const;
  /// At most `bins` blocks of equally many neighbouring threads (the last may have fewer): the mean
  /// over the pairs of threads of two blocks, or of one.
  [[nodiscard]] CommunicationMatrix binned(std::size_t bins) const;
};

/// The matrix of a profile's first threads, as many as kCommunicatingThreads.
[[nodiscard]] CommunicationMatrix communication_of(const Profile& profile);

/// The two threads, the lesser first, with at least `share` of all communication.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> main_pair(
    const CommunicationMatrix& matrix, double share);

/// How much more of the communication the best equal groups of threads keep inside than random ones
/// do. 0: uniform, no mapping of threads helps; 1: groups that don't communicate with each other.
/// The same however threads are numbered. docs/analyses.md has the formula.
[[nodiscard]] double structure_score(const CommunicationMatrix& matrix);

}  // namespace Atoll::profile
