// Finds the thread with the lowest simulated time, and the second lowest time: a tournament tree of
// the threads' positions, in which an update costs O(log n).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

class Order {
 public:
  static constexpr Ticks kNever = std::numeric_limits<Ticks>::max();  ///< of a waiting thread

  /// Sets the positions of all threads, by thread.
  void assign(const std::vector<Ticks>& positions) {
    leaves_ = std::bit_ceil(positions.size() > 1 ? positions.size() : std::size_t{2});
    best_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i)
      best_[leaves_ + i] = {i < positions.size() ? positions[i] : kNever,
                            static_cast<std::uint32_t>(i)};
    for (std::size_t i = leaves_ - 1; i > 0; --i) best_[i] = better(best_[2 * i], best_[2 * i + 1]);
  }
  /// Updates the position of one thread.
  void set(std::uint32_t thread, Ticks position) {
    std::size_t i = leaves_ + thread;
    best_[i].position = position;
    for (i /= 2; i > 0; i /= 2) best_[i] = better(best_[2 * i], best_[2 * i + 1]);
  }
  /// The thread with the lowest position; the lowest number of equal ones.
  [[nodiscard]] std::uint32_t first() const { return best_[1].thread; }
  [[nodiscard]] Ticks first_position() const { return best_[1].position; }
  /// Lowest position of all threads except the first one.
  [[nodiscard]] Ticks second_position() const {
    Ticks second = kNever;
    for (std::size_t i = leaves_ + first(); i > 1; i /= 2)
      second = best_[i ^ 1].position < second ? best_[i ^ 1].position : second;
    return second;
  }

 private:
  struct One {
    Ticks position;
    std::uint32_t thread;
  };
  static const One& better(const One& left, const One& right) {
    return right.position < left.position ? right : left;
  }
  std::size_t leaves_ = 0;
  std::vector<One> best_;  ///< [1] is the winner; [i] is the better of [2 i] and [2 i + 1]
};

}  // namespace Atoll::simulate
