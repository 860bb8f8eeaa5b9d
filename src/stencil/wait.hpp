// Synchronization of threads within a chain.
#pragma once

#include <atomic>
#include <cstdint>

namespace Atoll::stencil {

using Word = std::atomic<std::uint32_t>;  // the size for which std::atomic's wait() uses the futex
                                          // directly

/// Waits until the word differs from `old`. Polls `polls` times and then sleeps, to leave the
/// processing unit to other threads on it, which may be the ones that it waits for.
inline void wait_while(const Word& word, std::uint32_t old, int polls) {
  for (; polls > 0; --polls) {
    if (word.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  word.wait(old, std::memory_order_acquire);
}

/// Sets the word and wakes its waiters. Sequentially consistent: a thread that is about to sleep is
/// either seen here or sees the new value.
inline void set_and_wake(Word& word, std::uint32_t value) {
  word.store(value, std::memory_order_seq_cst);
  word.notify_all();
}

/// A reusable barrier for all threads of a team.
class TeamBarrier {
 public:
  TeamBarrier(int threads, int polls) : threads_(threads), polls_(polls) {}
  /// Returns true when all threads have arrived, and false if `stop` is set. The thread that sets
  /// `stop` calls release() afterwards.
  bool arrive_and_wait(const std::atomic<bool>& stop) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (stop.load()) return false;
    if (come_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      come_.store(0, std::memory_order_relaxed);
      release();
    } else {
      wait_while(round_, round, polls_);
    }
    return !stop.load();
  }
  void release() {
    round_.fetch_add(1);
    round_.notify_all();
  }

 private:
  int threads_, polls_;
  alignas(64) std::atomic<int> come_{0};
  alignas(64) Word round_{0};
};

}  // namespace Atoll::stencil
