// Selection of the fastest tile size, measured on chains that the program runs anyway.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/stencil/options.hpp"

namespace Atoll::stencil {

/// Tries sizes one after the other and the best two again, then keeps one. Chains with the same
/// fields and number of loops share a tuner, for example sweeps in different directions.
class Tuner {
 public:
  /// At least one size, the most promising one first.
  explicit Tuner(std::vector<TileSize> sizes);

  /// Position of the size to use now.
  [[nodiscard]] std::size_t now() const { return now_; }
  [[nodiscard]] const TileSize& size() const { return tries_[now_].size; }
  [[nodiscard]] bool has_finished() const { return left_.empty(); }
  /// Reports the run time of a chain with this size. `worth_more` is true if another size may be
  /// tried, although that needs another plan.
  void ran(double seconds, bool worth_more);

 private:
  struct Try {
    TileSize size;
    double seconds = 0;  ///< minimum
    int runs = 0;
  };
  [[nodiscard]] std::size_t best_except(std::size_t other) const;
  void choose_best();

  std::vector<Try> tries_;
  std::size_t now_ = 0;
  std::vector<std::size_t> left_;  ///< positions still to run, the next one last
  bool again_ = false;             ///< true if the best two sizes are being run again
};

}  // namespace Atoll::stencil
