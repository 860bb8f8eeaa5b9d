// State that the source files of this folder share.
#pragma once

#include <atomic>
#include <cstdint>

#include "process/inside/system.hpp"
#include "record/sample/control.hpp"
#include "record/sample/ranges.hpp"

namespace Atoll::record::sample {

struct State {
  Control* control;            ///< null: this process is not sampled
  process::inside::Lock lock;  ///< guards the members below
  Ranges ranges;
  bool withdrawing;  ///< this process has a withdrawing thread
};
extern State state;

/// Starts the thread that withdraws pages, once in each process. The caller must hold the lock.
void start_withdrawing();

/// Makes a system call without access to errno or other thread-local memory. Returns -ERROR on
/// failure.
long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

}  // namespace Atoll::record::sample
