// Which of some sizes of tiles is fastest, found on chains that have to be run anyway.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/stencil/options.hpp"

namespace Atoll::stencil {

/// Tries sizes one after the other, the best two again, and then stays with one. Chains of the same
/// fields and equally many loops share a tuner: sweeps in other directions, say.
class Tuner {
 public:
  /// The size that is thought to be best comes first. There is one at least.
  explicit Tuner(std::vector<TileSize> sizes);

  /// The position of the size to use now.
  [[nodiscard]] std::size_t now() const { return now_; }
  [[nodiscard]] const TileSize& size() const { return tries_[now_].size; }
  [[nodiscard]] bool settled() const { return left_.empty(); }
  /// Tells how long a chain took with the size. `worth_more`: it is worth the making of another
  /// plan to try one more size.
  void ran(double seconds, bool worth_more);

 private:
  struct Try {
    TileSize size;
    double seconds = 0;  ///< the least
    int runs = 0;
  };
  [[nodiscard]] std::size_t best_but(std::size_t other) const;
  void settle();

  std::vector<Try> tries_;
  std::size_t now_ = 0;
  std::vector<std::size_t> left_;  ///< what is still to be run, the next one last
  bool again_ = false;             ///< the best two are run again
};

}  // namespace Atoll::stencil
