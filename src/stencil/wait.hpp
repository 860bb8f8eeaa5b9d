// Threads that wait for each other within a chain.
#pragma once

#include <sched.h>

#include <atomic>

namespace Atoll::stencil {

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until ready() is true: shortly by looking again and again, then giving the processor to
/// others, who may be what it waits for.
template <class Ready>
void wait_until(Ready&& ready) {
  for (int looks = 0; !ready(); ++looks) {
    if (looks < 300)
      relax();
    else
      sched_yield();
  }
}

/// All threads of a team meet, again and again.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads) {}
  /// Returns true when all have come, false if stop is set first.
  bool meet(const std::atomic<bool>& stop) {
    const int round = round_.load(std::memory_order_relaxed);
    if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      come_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return true;
    }
    wait_until([&] {
      return round_.load(std::memory_order_acquire) != round ||
             stop.load(std::memory_order_relaxed);
    });
    return round_.load(std::memory_order_acquire) != round;
  }

 private:
  int threads_;
  alignas(64) std::atomic<int> come_{0};
  alignas(64) std::atomic<int> round_{0};
};

}  // namespace Atoll::stencil
