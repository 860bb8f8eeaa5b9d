// A lock of one byte for short critical sections, as a member of collections. A copy of a
// collection has its own lock, which is free.
#pragma once

#include <atomic>
#include <thread>

#include "atoll/marks/run_time.hpp"

namespace Atoll::graph {

/// Free, or held by one guard(). A thread that waits long yields its processing unit.
class SpinLock {
 public:
  SpinLock() = default;
  SpinLock(const SpinLock&) noexcept {}
  SpinLock& operator=(const SpinLock&) noexcept { return *this; }
  friend bool operator==(const SpinLock&, const SpinLock&) { return true; }

  /// Holds the lock during its lifetime.
  class Guard {
   public:
    explicit Guard(std::atomic_flag& taken) : taken_(taken) {
      if (atoll_take_lock != nullptr) {
        atoll_take_lock(&taken_, try_it);
        return;
      }
      // There may be more threads than processing units.
      for (int tries = 0; !try_it(&taken_); ++tries)
        if (tries > 64) std::this_thread::yield();
    }
    ~Guard() {
      if (atoll_give_lock != nullptr)
        atoll_give_lock(&taken_, give);
      else
        give(&taken_);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    static bool try_it(void* taken) {
      return !static_cast<std::atomic_flag*>(taken)->test_and_set(std::memory_order_acquire);
    }
    static void give(void* taken) {
      static_cast<std::atomic_flag*>(taken)->clear(std::memory_order_release);
    }

    std::atomic_flag& taken_;
  };
  [[nodiscard]] Guard guard() const { return Guard(taken_); }

 private:
  mutable std::atomic_flag taken_;
};

}  // namespace Atoll::graph
