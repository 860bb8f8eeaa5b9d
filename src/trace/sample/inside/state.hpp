// What the parts of the backing share.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/sample/control.hpp"
#include "trace/sample/inside/ranges.hpp"

namespace Atoll::trace::sample {

/// A lock for short times that makes no use of libc; the withdrawing thread takes it, too.
class ShortLock {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<std::uint32_t> word_{0};  ///< 0: free, 1: held, 2: awaited
};

struct State {
  Control* control;  ///< null: this process isn't sampled
  ShortLock lock;    ///< of what follows
  Ranges ranges;
  bool withdrawing;  ///< this process has the thread for that
};
extern State state;

/// Starts the thread that withdraws pages, once a process. The lock is held.
void start_withdrawing();

/// A system call that leaves errno, and thread-local memory altogether, alone: -ERROR on failure.
long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

}  // namespace Atoll::trace::sample
