// Selection of the fastest tile size.
#include "stencil/tuner.hpp"

#include <algorithm>

namespace Atoll::stencil {

Tuner::Tuner(std::vector<TileSize> sizes) {
  for (const TileSize& size : sizes) tries_.push_back({size});
  // Each size twice, because the first run of a plan is often slow.
  if (tries_.size() > 1)
    for (std::size_t i = tries_.size(); i-- > 0;) left_.insert(left_.end(), {i, i});
}

void Tuner::ran(double seconds, bool worth_more) {
  if (has_finished()) return;
  Try& tried = tries_[now_];
  tried.seconds = tried.runs++ == 0 ? seconds : std::min(tried.seconds, seconds);
  left_.pop_back();
  if (left_.empty() && !again_) {
    again_ = true;
    const std::size_t first = best_except(tries_.size()), second = best_except(first);
    left_ = {second, first, second, first};
  } else if (!worth_more && !left_.empty() && tries_[left_.back()].runs == 0) {
    left_.clear();
  }
  if (left_.empty())
    choose_best();
  else
    now_ = left_.back();
}

std::size_t Tuner::best_except(std::size_t other) const {
  std::size_t best = other == 0 ? 1 : 0;
  for (std::size_t i = 0; i < tries_.size(); ++i)
    if (i != other && tries_[i].runs > 0 && tries_[i].seconds < tries_[best].seconds) best = i;
  return best;
}

void Tuner::choose_best() {
  now_ = best_except(tries_.size());
  // Times are noisy: keeps the first size unless another one is clearly faster.
  if (tries_[now_].seconds > 0.98 * tries_[0].seconds) now_ = 0;
}

}  // namespace Atoll::stencil
