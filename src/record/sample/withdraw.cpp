// Thread that withdraws pages, at the rate that `atoll` sets. libc does not know it, and it has no
// thread-local memory of its own (it uses its creator's, which is freed when the creator ends). So
// it makes only raw system calls, is compiled without stack protection, and blocks all signals.
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "record/sample/state.hpp"

#include "atoll/base/page_size.hpp"

namespace Atoll::record::sample {
namespace {

/// At a read fault, the kernel maps up to 16 pages that are in the file, without a fault for each.
/// So only one page of each such window is withdrawn at a time, which hides few faults.
constexpr std::size_t kWindow = 16 * kPageBytes;
constexpr std::size_t kStackBytes = 32 << 10;

struct Cursor {
  std::size_t range;      ///< index in the table
  std::uintptr_t window;  ///< begin of the next window; 0: at the range's begin
  std::uint32_t pass;     ///< selects the page of each window
};

std::uint64_t now(clockid_t clock) {
  timespec time{};
  raw_call(SYS_clock_gettime, clock, reinterpret_cast<long>(&time));
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void withdraw(std::uintptr_t page, std::uint64_t stands_for, std::uint32_t pid) {
  Control& control = *state.control;
  const std::uint64_t index = control.logged.fetch_add(1, std::memory_order_relaxed);
  Withdrawn& entry = control.log[index % kLogEntries];
  entry.page.store(stands_for << kPageBits | page / kPageBytes, std::memory_order_relaxed);
  entry.owner.store(index << 32 | pid, std::memory_order_release);
  raw_call(SYS_madvise, static_cast<long>(page), kPageBytes, MADV_DONTNEED);
}

/// Withdraws one page of the next window. Returns false at the end of a pass, when all windows have
/// been visited.
bool step(Cursor& cursor, std::uint64_t pages_per_tick, std::uint32_t pid) {
  for (; cursor.range < state.ranges.size(); ++cursor.range, cursor.window = 0) {
    const Range& range = state.ranges[cursor.range];
    if (!range.shared) continue;
    // The table may have changed meanwhile: if the window is outside the range, restarts or ends
    // the range.
    if (cursor.window < range.begin / kWindow * kWindow)
      cursor.window = range.begin / kWindow * kWindow;
    while (cursor.window < range.end) {
      const std::uintptr_t window = cursor.window;
      cursor.window += kWindow;
      // 7 is odd, so 16 passes visit each page once; adjacent windows start at different pages.
      const std::uintptr_t page =
          window + (std::uintptr_t{cursor.pass} * 7 + window / kWindow * 5) %
                       (kWindow / kPageBytes) * kPageBytes;
      if (page < range.begin || page >= range.end) continue;
      const std::uint64_t stands_for =
          state.ranges.shared_pages() * range.stands_for /
          (Range::kSixteenths * (pages_per_tick > 0 ? pages_per_tick : 1));
      withdraw(page, stands_for > 0 ? stands_for : 1, pid);
      return true;
    }
  }
  cursor = {0, 0, cursor.pass + 1};
  return false;
}

void withdraw_pages(Cursor& cursor, std::uint64_t pages, std::uint64_t pages_per_tick,
                    std::uint32_t pid) {
  constexpr std::uint64_t kAtOnce = 16;  // limits the wait of the program's allocations
  for (std::uint64_t left = pages; left > 0;) {
    state.lock.lock();
    bool more = true;
    for (std::uint64_t i = 0; i < kAtOnce && left > 0 && more; ++i, --left)
      more = step(cursor, pages_per_tick, pid);
    state.lock.unlock();
    if (!more) return;
  }
}

/// Returns the sleep time, long enough that a wake-up is for several pages.
std::uint64_t tick_ns(std::uint64_t pages_per_second) {
  constexpr std::uint64_t kPages = 32, kLongest = 10 * kTickNs;
  const std::uint64_t tick = kPages * 1'000'000'000 / (pages_per_second + 1);
  return tick < kTickNs ? kTickNs : tick > kLongest ? kLongest : tick;
}

int run(void*) {
  raw_call(SYS_prctl, PR_SET_NAME, reinterpret_cast<long>(kWithdrawingThread));
  const auto pid = static_cast<std::uint32_t>(raw_call(SYS_getpid));
  Cursor cursor{};
  std::uint64_t wanted_e9 = 0, last = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  for (;;) {
    const std::uint64_t rate = state.control->pages_per_second.load(std::memory_order_relaxed);
    const timespec tick{0, static_cast<long>(tick_ns(rate))};
    raw_call(SYS_nanosleep, reinterpret_cast<long>(&tick));
    const std::uint64_t time = now(CLOCK_MONOTONIC);
    // After a long stop (SIGSTOP, a busy machine), missed withdrawals are not made up for.
    const std::uint64_t longest = 4 * tick_ns(rate);
    const std::uint64_t passed = time - last < longest ? time - last : longest;
    last = time;
    wanted_e9 += passed * rate;
    withdraw_pages(cursor, wanted_e9 / 1'000'000'000, rate * kTickNs / 1'000'000'000, pid);
    wanted_e9 %= 1'000'000'000;
    const std::uint64_t cpu_now = now(CLOCK_THREAD_CPUTIME_ID);
    state.control->cpu_ns.fetch_add(cpu_now - cpu, std::memory_order_relaxed);
    cpu = cpu_now;
  }
}

}  // namespace

long raw_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result = 0;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
#else
#error "system calls of this architecture"
#endif
}

void start_withdrawing() {
  if (state.withdrawing) return;
  state.withdrawing = true;
  const long stack = raw_call(SYS_mmap, 0, kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack < 0 && stack > -4096) return;
  std::uint64_t all = ~std::uint64_t{0}, before = 0;
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all),
           reinterpret_cast<long>(&before), sizeof all);
  ::clone(run, reinterpret_cast<char*>(stack) + kStackBytes,
          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
          nullptr);
  raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&before), 0, sizeof before);
}

}  // namespace Atoll::record::sample
