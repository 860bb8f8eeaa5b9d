// Communication between threads [hashsieve §V.A.1]: the matrix, and how structured it is.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

/// A symmetric matrix with a zero diagonal.
class CommunicationMatrix {
 public:
  explicit CommunicationMatrix(std::size_t threads)
      : threads_(threads), cells_(threads * threads) {}
  CommunicationMatrix(const Communication& pairs, std::size_t threads);

  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return cells_[i * threads_ + j]; }
  void set(std::size_t i, std::size_t j, double amount) {
    cells_[i * threads_ + j] = cells_[j * threads_ + i] = amount;
  }
  /// Of one thread with all others.
  [[nodiscard]] double of(std::size_t thread) const;
  /// Of all pairs.
  [[nodiscard]] double total() const;
  /// At most `bins` blocks of equally many neighbouring threads (the last may have fewer): the mean
  /// over the pairs of threads of two blocks, or of one.
  [[nodiscard]] CommunicationMatrix binned(std::size_t bins) const;

 private:
  std::size_t threads_;
  std::vector<double> cells_;
};

/// The matrix of a profile's first threads, as many as kCommunicatingThreads.
[[nodiscard]] CommunicationMatrix communication_of(const Profile& profile);

/// The two threads, the lesser first, with at least `share` of all communication.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> main_pair(
    const CommunicationMatrix& matrix, double share);

/// 0: uniform, no mapping of threads helps; 1: groups that don't communicate with each other. The
/// same however threads are numbered. docs/analyses.md has the formula.
[[nodiscard]] double structure_score(const CommunicationMatrix& matrix);

}  // namespace Atoll::profile
