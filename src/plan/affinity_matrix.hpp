// Symmetric matrices over pairs: communication between threads, distances between nodes.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace Atoll::detail {

/// A symmetric matrix with a zero diagonal.
class AffinityMatrix {
 public:
  explicit AffinityMatrix(std::size_t threads) : threads_(threads), cells_(threads * threads) {}

  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return cells_[i * threads_ + j]; }
  void set(std::size_t i, std::size_t j, double amount) {
    cells_[i * threads_ + j] = cells_[j * threads_ + i] = amount;
  }
  void add(std::size_t i, std::size_t j, double amount) { set(i, j, at(i, j) + amount); }
  /// Returns the sum of one thread's values with all others.
  [[nodiscard]] double of(std::size_t thread) const {
    const auto row = cells_.begin() + static_cast<std::ptrdiff_t>(thread * threads_);
    return std::accumulate(row, row + static_cast<std::ptrdiff_t>(threads_), 0.0);
  }
  /// Returns the sum over all pairs.
  [[nodiscard]] double total() const {
    return std::accumulate(cells_.begin(), cells_.end(), 0.0) / 2;
  }

 private:
  std::size_t threads_;
  std::vector<double> cells_;
};

/// Distances between nodes or processing units.
using DistanceMatrix = AffinityMatrix;

}  // namespace Atoll::detail
