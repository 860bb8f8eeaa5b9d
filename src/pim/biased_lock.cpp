#include "pim/biased_lock.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace Atoll::pim {
namespace {

#if defined(__linux__)
[[nodiscard]] bool membarrier(int command) {
  return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}
#endif

/// Executes a barrier on every core that runs a thread of this process. ThreadSanitizer doesn't
/// know it, and needn't: the barrier only orders the atomics `inside` and `owner_`.
void barrier_everywhere() {
#if defined(__linux__)
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
#endif
  std::terminate();  // it was registered; without it, the lock is broken
}

// A revocation costs about 10 us, and a lock about 10 ns more than a biased entry. Therefore each
// revocation raises the number of consecutive locks after which a thread gets the bias.
constexpr std::uint32_t kMaxPatience = 1U << 20;

}  // namespace

bool BiasedLock::bias_works() {
#if defined(__linux__)
  static const bool works = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return works;
#else
  return false;
#endif
}

void BiasedLock::lock(Visitor& self) {
  std::uint32_t state = 0;
  if (!state_.compare_exchange_strong(state, 1, std::memory_order_acquire)) {
    if (state != 2) state = state_.exchange(2, std::memory_order_acquire);
    while (state != 0) {
      state_.wait(2, std::memory_order_relaxed);
      state = state_.exchange(2, std::memory_order_acquire);
    }
  }
  if (owner_.load(std::memory_order_relaxed) != nullptr) revoke_bias();
  if (last_ != self.number) streak_ = 0;
  last_ = self.number;
  ++streak_;
}

void BiasedLock::revoke_bias() {
  const Visitor* owner = owner_.load(std::memory_order_relaxed);
  owner_.store(nullptr, std::memory_order_relaxed);
  barrier_everywhere();
  // From here on, either the owner sees that it lost the bias, or this thread sees that the owner
  // is inside.
  while (owner->inside.load(std::memory_order_acquire) == this) std::this_thread::yield();
  patience_ = std::min(4 * patience_ + 16, kMaxPatience);
}

void BiasedLock::unlock(Visitor& self) {
  if (streak_ > patience_ && bias_works()) owner_.store(&self, std::memory_order_relaxed);
  if (state_.exchange(0, std::memory_order_release) == 2) state_.notify_one();
}

}  // namespace Atoll::pim
