// Direct futex system calls. libc's syscall() may be interposed by another preloaded library, which
// would record these waits as the program's.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#ifndef __x86_64__
#include <unistd.h>
#endif

namespace Atoll::process::inside {

/// Calls futex(2). `operation` is FUTEX_WAIT, FUTEX_WAKE or one of their private forms. On x86-64,
/// errno is unchanged.
inline void futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
                  const timespec* time_limit = nullptr) {
#ifdef __x86_64__
  long result = SYS_futex;
  register const timespec* limit asm("r10") = time_limit;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(&word), "S"(operation), "d"(value), "r"(limit)
               : "rcx", "r11", "memory");
#else
  ::syscall(SYS_futex, &word, operation, value, time_limit, nullptr, 0);
#endif
}

}  // namespace Atoll::process::inside
