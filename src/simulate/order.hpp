// Which thread is furthest behind, and how far the next one is: a tournament of the threads'
// positions, so that a turn costs a look at some threads and not at all of them.
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
  static constexpr Ticks kNever = std::numeric_limits<Ticks>::max();  ///< of a thread that waits

  /// Takes the positions of all threads, by thread.
  void assign(const std::vector<Ticks>& positions) {
    leaves_ = std::bit_ceil(positions.size() > 1 ? positions.size() : std::size_t{2});
    best_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i)
      best_[leaves_ + i] = {i < positions.size() ? positions[i] : kNever,
                            static_cast<std::uint32_t>(i)};
    for (std::size_t i = leaves_ - 1; i > 0; --i) best_[i] = better(best_[2 * i], best_[2 * i + 1]);
  }
  /// One thread has gone on.
  void set(std::uint32_t thread, Ticks position) {
    std::size_t i = leaves_ + thread;
    best_[i].position = position;
    for (i /= 2; i > 0; i /= 2) best_[i] = better(best_[2 * i], best_[2 * i + 1]);
  }
  /// Of those that are furthest behind, the one with the least number.
  [[nodiscard]] std::uint32_t first() const { return best_[1].thread; }
  [[nodiscard]] Ticks first_position() const { return best_[1].position; }
  /// The position of the one that is furthest behind but for the first.
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
  std::vector<One> best_;  ///< [1] is the first of all; [i] is the better of [2 i] and [2 i + 1]
};

}  // namespace Atoll::simulate
