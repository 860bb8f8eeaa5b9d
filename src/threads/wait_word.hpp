// A futex-based number that threads wait for.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace Atoll::detail {

/// Limits how often a thread polls before it blocks. Blocking and waking take 5 to 50 us, more than
/// the gap between two short loops. But polling uses processor time, in vain if the other threads
/// aren't running. So the limit is halved when a poll reaches it, and doubled when a poll succeeds.
class PollLimit {
 public:
  /// With `may_poll` = false, threads block at once, because they share processing units.
  explicit PollLimit(bool may_poll) : most_(may_poll ? kMax : 0), limit_(most_) {}

  /// Returns true as soon as `done()` does, false when the limit is reached.
  template <class Done>
  bool poll(Done&& done) {
    for (std::uint32_t polls = 0; polls <= limit_; ++polls) {
      if (done()) {
        limit_ = std::min(2 * limit_, most_);
        return true;
      }
      __builtin_ia32_pause();
    }
    limit_ = std::min(std::max(limit_ / 2, kLeast), most_);
    return false;
  }

 private:
  static constexpr std::uint32_t kLeast = 16, kMax = 1024;  // 1024 pauses take 10 to 50 us
  std::uint32_t most_, limit_;
};

/// A 32-bit number with futex wake-ups. std::atomic::wait() yields its processing unit before it
/// blocks, and on a busy computer each yield takes a time slice of milliseconds.
class WaitWord {
 public:
  [[nodiscard]] std::uint32_t load() const { return value_.load(std::memory_order_acquire); }
  void store_quietly(std::uint32_t value) { value_.store(value, std::memory_order_relaxed); }
  /// Adds to the number and returns the result. If threads may be waiting for it, call wake()
  /// afterwards.
  std::uint32_t add(std::uint32_t number) { return value_.fetch_add(number) + number; }
  /// Resumes all waiting threads.
  void wake() {
    if (sleepers_.load() != 0)
      ::syscall(SYS_futex, word(), FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr,
                nullptr, 0);
  }
  /// Blocks until done(number) returns true.
  template <class Done>
  void wait_until(Done&& done, PollLimit& limit) {
    if (limit.poll([&] { return done(load()); })) return;
    sleepers_.fetch_add(1);
    for (std::uint32_t now; !done(now = load());)
      ::syscall(SYS_futex, word(), FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
    sleepers_.fetch_sub(1);
  }

 private:
  std::uint32_t* word() { return reinterpret_cast<std::uint32_t*>(&value_); }
  std::atomic<std::uint32_t> value_{0}, sleepers_{0};
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
};

}  // namespace Atoll::detail
