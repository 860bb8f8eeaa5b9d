// A lock for a bank that costs its usual thread no atomic read-modify-write: the bank is biased to
// one thread, which announces with a plain store that it is inside. Another thread that wants the
// bank takes the bias away, which is slow (a barrier on all cores, by membarrier(2)) and so happens
// ever more rarely. If that call is missing, it is a plain futex lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "pim/visitor.hpp"

namespace Atoll::pim {

class BiasedLock {
 public:
  /// Returns true if the thread is in, and must call leave_biased(). Returns false if nothing
  /// happened; then it must call lock().
  [[nodiscard]] bool enter_biased(Visitor& self) {
    // Release: a thread that finds us here also finds what we did to the bank that we were in
    // before.
    self.inside.store(this, std::memory_order_release);
    // This only keeps the compiler from reordering: take_bias_away() has the barrier for the core.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_relaxed) == &self) [[likely]]
      return true;
    self.inside.store(nullptr, std::memory_order_relaxed);
    return false;
  }
  void leave_biased(Visitor& self) { self.inside.store(nullptr, std::memory_order_release); }

  void lock(Visitor& self);
  void unlock(Visitor& self);

  /// True if there is a barrier for all cores. The first call asks the system for it, which takes
  /// long once there are threads.
  static bool bias_works();

  /// True if lock() by `self` would have to take the bias away from another thread. The answer may
  /// be outdated.
  [[nodiscard]] bool biased_to_another(const Visitor& self) const {
    const Visitor* owner = owner_.load(std::memory_order_relaxed);
    return owner != nullptr && owner != &self;
  }

 private:
  void take_bias_away();

  std::atomic<Visitor*> owner_{nullptr};  // the thread that the bank is biased to
  std::atomic<std::uint32_t> state_{0};   // 0 free, 1 held, 2 held and waited for
  // Protected by state_: how often in a row visitor number `last_` took the lock, and after how
  // often it gets the bias.
  std::uint32_t streak_ = 0, patience_ = 0;
  std::uint32_t last_ = 0;
};

/// Holds a bank's lock in the cheapest way.
class Turn {
 public:
  Turn(BiasedLock& lock, Visitor& self)
      : lock_(lock), self_(self), biased_(lock.enter_biased(self)) {
    if (!biased_) lock_.lock(self_);
  }
  ~Turn() { biased_ ? lock_.leave_biased(self_) : lock_.unlock(self_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  BiasedLock& lock_;
  Visitor& self_;
  const bool biased_;
};

}  // namespace Atoll::pim
