// State that the source files of this folder share.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/sample/control.hpp"
#include "trace/sample/inside/ranges.hpp"

namespace Atoll::trace::sample {

/// Lock for short critical sections that does not use libc, as the withdrawing thread acquires it,
/// too.
class ShortLock {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<std::uint32_t> word_{0};  ///< 0: free, 1: held, 2: held with waiters
};

struct State {
  Control* control;  ///< null: this process is not sampled
  ShortLock lock;    ///< guards the members below
  Ranges ranges;
  bool withdrawing;  ///< this process has a withdrawing thread
};
extern State state;

/// Starts the thread that withdraws pages, once in each process. The caller must hold the lock.
void start_withdrawing();

/// Makes a system call without access to errno or other thread-local memory. Returns -ERROR on
/// failure.
long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

}  // namespace Atoll::trace::sample
