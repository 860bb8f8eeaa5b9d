// Direct futex system calls. libc's syscall() may be interposed by another preloaded library, which
// would record these waits as the program's.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace Atoll::process::inside {

/// Calls futex(2). `operation` is FUTEX_WAIT, FUTEX_WAKE or one of their private forms. errno and
/// other thread-local memory, which some threads of the recorder lack, are not used.
inline void futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
                  const timespec* time_limit = nullptr) {
#ifdef __x86_64__
  long result = SYS_futex;
  register const timespec* limit asm("r10") = time_limit;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(&word), "S"(operation), "d"(value), "r"(limit)
               : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long number asm("x8") = SYS_futex;
  register long result asm("x0") = reinterpret_cast<long>(&word);
  register long how asm("x1") = operation;
  register long expected asm("x2") = value;
  register const timespec* limit asm("x3") = time_limit;
  asm volatile("svc 0"
               : "+r"(result)
               : "r"(number), "r"(how), "r"(expected), "r"(limit)
               : "memory");
#else
#error "system calls of this architecture"
#endif
}

}  // namespace Atoll::process::inside
