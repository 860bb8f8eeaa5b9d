// Waits for a word of the region to change. Libraries beside the recorder interpose libc's
// syscall(), and would tell of this wait as one of the program's.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace Atoll::trace::recorder {

/// Returns when the word isn't `expected`, somebody wakes its waiters or the time is over; or
/// earlier.
inline void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       long nanoseconds) {
  const timespec moment = {0, nanoseconds};
#ifdef __x86_64__
  long result = SYS_futex;
  register const timespec* timeout asm("r10") = &moment;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(&word), "S"(FUTEX_WAIT), "d"(expected), "r"(timeout)
               : "rcx", "r11", "memory");
#else
  const timespec short_moment = {0, nanoseconds < 200'000 ? nanoseconds : 200'000};
  if (word.load() == expected) ::nanosleep(&short_moment, nullptr);
  (void)moment;
#endif
}

}  // namespace Atoll::trace::recorder
