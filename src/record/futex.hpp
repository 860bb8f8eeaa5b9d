// Waits for a change of a word in the region. Other preloaded libraries interpose libc's syscall()
// and would record this wait as one of the program, so it makes the system call directly.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

#include "process/inside/futex.hpp"

namespace Atoll::record {

/// Blocks until the word differs from `expected`, another process wakes its waiters, or the time
/// has passed. It may return earlier.
inline void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       long nanoseconds) {
  const timespec moment = {0, nanoseconds};
  process::inside::futex(word, FUTEX_WAIT, expected, &moment);
}

}  // namespace Atoll::record
