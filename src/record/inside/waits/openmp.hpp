// Parallel regions of OpenMP's run-time libraries. Their barriers wait by internal loops and
// futexes, so the program's calls are reported instead: threads of a region continue after its
// beginning, and all of them meet at its barriers.
#pragma once

#include "record/inside/waits/interpose.hpp"

namespace Atoll::record::inside::waits {

/// A parallel region. It is on the stack of the thread that began it, which waits for its end.
struct Region {
  void (*function)(void*);
  void* data;
};

/// State of this thread in a region.
struct Part {
  const Region* region;
  std::uint64_t met;  ///< number of the region's barriers passed so far
  std::uint32_t threads;
};
extern constinit thread_local Part present_part;

/// Keys of sleeping threads: kIdle of a worker that waits for its next region, kRegionEnds of a
/// thread that waits for the end of the region that it began.
inline constexpr std::uint64_t kIdle = 8, kRegionEnds = 16;
/// Second keys of threads that sleep in the run-time library (simulate/live_coordinator.hpp).
/// kTasks: the thread may execute a task that is created. kWakesOthers: same, and it may have woken
/// others that sleep with one of these keys, since it has executed a task or completed data.
inline constexpr std::uint64_t kTasks = 24, kWakesOthers = 32;

/// Called by the thread that begins the region.
void begin_region(const Region& region);
void end_region(const Region& region);
/// Called by each thread of the region, also the one that began it, before and after its function.
Part enter_region(const Region& region);
void leave_region(const Part& before);
/// Called before and after a barrier.
void arrive();
void meet();

/// Records that this thread enters the run-time library, where it may sleep for `key`. If the
/// program has tasks, it may execute some meanwhile.
void enter_runtime(std::uint64_t key, std::uint64_t other = 0);
/// Called after the run-time library has returned to the program.
void leave_runtime();
/// If the program has tasks, regions end after all of their tasks, as threads execute tasks after
/// they have left the region's function (openmp_tasks.cpp).
///
/// tasks_belong_to: new tasks of this thread belong to `region`. leave_region_to_tasks: this thread
/// has left the region's function. tasks_ended: all tasks of `region` have ended.
void tasks_belong_to(const Region& region);
void leave_region_to_tasks(const Region& region, bool has_begun_it);
void tasks_ended(const Region& region);

/// Yields the processor in a wait loop.
void spin_once();
/// Same in a loop that waits for tasks: sleeps until a task is created, begins or ends. `seen`:
/// number of these events before the thread checked whether it may continue.
[[nodiscard]] std::uint32_t task_events();
void note_task_event();
void wait_for_task_event(std::uint32_t seen);

/// Makes a call that may wait and whose wait isn't reported otherwise.
template <typename Call>
auto may_sleep(Call&& call) {
  struct AtExit {
    std::uint64_t key;
    ~AtExit() {
      leave_runtime();
      record_continued(key);
    }
  } const at_exit{key_of(present_part.region)};
  enter_runtime(at_exit.key);
  return call();
}
template <typename Call>
auto at_barrier(Call&& call) {
  arrive();
  struct AtExit {
    ~AtExit() { meet(); }
  } const at_exit;
  return call();
}
/// Enters an ordered section, which threads enter in an order that the section defines.
template <typename Call>
void enter_in_order(const void* section, Call&& call) {
  record({.call = WaitCall::asleep, .key = key_of(section)});
  call();
  waited(section, 0);
}

/// Acquires a lock of the run-time library, which has no try-lock for it. A shadow flag represents
/// the lock and is tried first.
template <typename Call>
void acquire_runtime_lock(const void* lock, Call&& call) {
  const auto attempt = [&] { return record({.call = WaitCall::tries, .key = key_of(lock)}); };
  bool has_turn = request_turn(), has_it = attempt();
  end_turn();
  while (!has_it && has_turn) {
    has_turn = request_turn(key_of(lock));
    has_it = attempt();
    end_turn();
  }
  if (!has_it) record({.call = WaitCall::asleep, .key = key_of(lock)});
  call();
  waited(lock, 0);
}
template <typename Call>
void release_runtime_lock(const void* lock, Call&& call) {
  in_turn([&] {
    released(lock, 0);
    call();
    return record({.call = WaitCall::gives_up, .key = key_of(lock)});
  });
}

}  // namespace Atoll::record::inside::waits
