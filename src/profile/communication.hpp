// Communication between threads [hashsieve §V.A.1]: the matrix, and a score of its structure.
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

  /// Returns the submatrix of these threads, in the given order.
  [[nodiscard]] CommunicationMatrix of_threads(std::span<const std::size_t> threads) const;
  /// Returns a matrix of at most `bins` blocks of consecutive threads. All blocks have the same
  /// size, except that the last one may be smaller. A cell is the mean over the pairs of threads of
  /// its two blocks, or of one block.
  [[nodiscard]] CommunicationMatrix binned(std::size_t bins) const;
};

/// Returns the matrix of a profile's first threads, at most kCommunicatingThreads.
[[nodiscard]] CommunicationMatrix communication_of(const Profile& profile);

/// Returns the pair of threads, the lower number first, that has at least `share` of all
/// communication. Returns std::nullopt if there is none.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> main_pair(
    const CommunicationMatrix& matrix, double share);

/// Returns the structure score, 0 to 1: the fraction of communication inside the best groups of
/// equal size, compared with random groups. 0: communication is uniform, so no mapping of threads
/// helps. 1: the groups don't communicate with each other. The score is independent of the
/// numbering of threads. docs/analyses.md has the formula.
[[nodiscard]] double structure_score(const CommunicationMatrix& matrix);

}  // namespace Atoll::profile
