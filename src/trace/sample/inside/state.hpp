// What the files of the backing share.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/sample/control.hpp"
#include "trace/sample/inside/ranges.hpp"

namespace Atoll::trace::sample {

/// A lock for short times that doesn't use libc; the withdrawing thread takes it, too.
class ShortLock {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<std::uint32_t> word_{0};  ///< 0: free, 1: held, 2: awaited
};

struct State {
  Control* control;  ///< null: this process isn't sampled
  ShortLock lock;    ///< guards what follows
  Ranges ranges;
  bool withdrawing;  ///< this process has the withdrawing thread
};
extern State state;

/// Starts the thread that withdraws pages, once in each process. The lock must be held.
void start_withdrawing();

/// Makes a system call that doesn't touch errno or any other thread-local memory. Returns -ERROR on
/// failure.
long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

}  // namespace Atoll::trace::sample
