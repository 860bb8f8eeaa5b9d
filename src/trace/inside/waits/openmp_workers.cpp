// Threads of OpenMP's run-time libraries: each waits for a region from its beginning on, and some
// wait in loops.
#include <sched.h>
#include <time.h>

#include "trace/inside/waits/openmp.hpp"

using namespace Atoll::trace::inside::waits;

ATOLL_INTERPOSE void atoll_thread_runs(void* (*routine)(void*)) {
  if (is_of_runtime(reinterpret_cast<const void*>(routine)))
    tell({.call = WaitCall::asleep, .key = kIdle});
}

// A thread that spins takes no processor from those that work.
ATOLL_INTERPOSE int sched_yield() noexcept {
  static constinit Next<int (*)()> next{"sched_yield"};
  if (!ATOLL_OF_RUNTIME() || !has_tasks()) return next();
  spin_once();
  return 0;
}

namespace Atoll::trace::inside::waits {

namespace {
std::atomic<long> spinners{0};
}  // namespace

void spin_once() {
  spins();
  // All of them together look as often as a few would.
  const timespec moment = {0, 20'000 * (spinners.fetch_add(1) + 1)};
  ::nanosleep(&moment, nullptr);
  spinners.fetch_sub(1);
}

}  // namespace Atoll::trace::inside::waits
