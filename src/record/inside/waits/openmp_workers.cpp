// Threads of OpenMP's run-time libraries. Each one waits for a region from its start on, and some
// wait in loops.
#include <sched.h>
#include <time.h>

#include <climits>

#include "process/inside/futex.hpp"
#include "record/inside/waits/openmp.hpp"

using namespace Atoll::record::inside::waits;

ATOLL_INTERPOSE void atoll_thread_runs(void* (*routine)(void*)) {
  if (is_of_runtime(reinterpret_cast<const void*>(routine)))
    record({.call = WaitCall::asleep, .key = kIdle});
}

// A spinning thread must not take a processor from working threads.
ATOLL_INTERPOSE int sched_yield() noexcept {
  static constinit Next<int (*)()> next{"sched_yield"};
  if (!ATOLL_OF_RUNTIME() || !has_tasks()) return next();
  spin_once();
  return 0;
}

namespace Atoll::record::inside::waits {

namespace {
std::atomic<long> spinners{0};
std::atomic<std::uint32_t> events{0};
std::atomic<int> waiting{0};  ///< threads that wait for the next event
}  // namespace

std::uint32_t task_events() {
  return events.load();
}

void note_task_event() {
  events.fetch_add(1);
  if (waiting.load() > 0) process::inside::futex(events, FUTEX_WAKE_PRIVATE, INT_MAX);
}

void wait_for_task_event(std::uint32_t seen) {
  spins();
  constexpr timespec kLimit = {0, 20'000'000};  // the run-time library may know of events that
                                                // aren't reported
  waiting.fetch_add(1);
  process::inside::futex(events, FUTEX_WAIT_PRIVATE, seen, &kLimit);
  waiting.fetch_sub(1);
}

void spin_once() {
  spins();
  // Sleeps longer the more threads spin, to bound their total number of checks.
  const timespec moment = {0, 20'000 * (spinners.fetch_add(1) + 1)};
  ::nanosleep(&moment, nullptr);
  spinners.fetch_sub(1);
}

}  // namespace Atoll::record::inside::waits
