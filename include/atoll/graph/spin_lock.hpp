// A lock of one byte for short work, as a member of collections. A copied collection has a lock of
// its own, which is free.
#pragma once

#include <atomic>
#include <thread>

namespace Atoll::graph {

/// Free or held by one guard(). Who waits long lets other threads run.
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
      // There may be more threads than processing units.
      for (int tries = 0; taken_.test_and_set(std::memory_order_acquire); ++tries)
        if (tries > 64) std::this_thread::yield();
    }
    ~Guard() { taken_.clear(std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    std::atomic_flag& taken_;
  };
  [[nodiscard]] Guard guard() const { return Guard(taken_); }

 private:
  mutable std::atomic_flag taken_;
};

}  // namespace Atoll::graph
