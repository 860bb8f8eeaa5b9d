// Lock of a bank that needs no atomic read-modify-write for its usual thread. The bank is biased to
// one thread, which announces by a plain store that it is inside. Another thread must first revoke
// the bias, which is slow (a barrier on all cores, by membarrier(2)) and therefore is done less and
// less often. Without membarrier(2), it is a plain futex lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "pim/visitor.hpp"

namespace Atoll::pim {

class BiasedLock {
 public:
  /// Returns true if the thread is inside; then it must call leave_biased(). Otherwise the lock is
  /// unchanged, and the thread must call lock().
  [[nodiscard]] bool enter_biased(Visitor& self) {
    // Release: a thread that reads this value also sees this thread's changes to the bank that it
    // was inside before.
    self.inside.store(this, std::memory_order_release);
    // Only a compiler barrier: revoke_bias() executes the barrier on the cores.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_relaxed) == &self) [[likely]]
      return true;
    self.inside.store(nullptr, std::memory_order_relaxed);
    return false;
  }
  void leave_biased(Visitor& self) { self.inside.store(nullptr, std::memory_order_release); }

  void lock(Visitor& self);
  void unlock(Visitor& self);

  /// True if a barrier on all cores is available. The first call registers for it, which is slow
  /// once there are several threads.
  static bool bias_works();

  /// True if lock() by `self` would have to revoke another thread's bias. The answer may be
  /// outdated.
  [[nodiscard]] bool biased_to_another(const Visitor& self) const {
    const Visitor* owner = owner_.load(std::memory_order_relaxed);
    return owner != nullptr && owner != &self;
  }

 private:
  void revoke_bias();

  std::atomic<Visitor*> owner_{nullptr};  // the thread to which the bank is biased
  std::atomic<std::uint32_t> state_{0};   // 0 free, 1 held, 2 held with waiters
  // Protected by state_: number of consecutive locks by visitor number `last_`, and the number
  // after which it gets the bias.
  std::uint32_t streak_ = 0, patience_ = 0;
  std::uint32_t last_ = 0;
};

/// Scoped lock of a bank: biased if possible.
class BankLockGuard {
 public:
  BankLockGuard(BiasedLock& lock, Visitor& self)
      : lock_(lock), self_(self), biased_(lock.enter_biased(self)) {
    if (!biased_) lock_.lock(self_);
  }
  ~BankLockGuard() { biased_ ? lock_.leave_biased(self_) : lock_.unlock(self_); }
  BankLockGuard(const BankLockGuard&) = delete;
  BankLockGuard& operator=(const BankLockGuard&) = delete;

 private:
  BiasedLock& lock_;
  Visitor& self_;
  const bool biased_;
};

}  // namespace Atoll::pim
