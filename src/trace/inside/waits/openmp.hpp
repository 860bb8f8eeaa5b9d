// Regions of OpenMP's run-time libraries. Their barriers wait with loops and futexes of their own,
// so the program's calls tell: a region's threads go on behind its beginning, and all of them meet
// at its barriers.
#pragma once

#include "trace/inside/waits/interpose.hpp"

namespace Atoll::trace::inside::waits {

/// A parallel region. It lives on the stack of the thread that began it, which waits for its end.
struct Region {
  void (*function)(void*);
  void* data;
};

/// What this thread does in a region.
struct Part {
  const Region* region;
  std::uint64_t met;  ///< how many of the region's barriers
  std::uint32_t threads;
};
extern constinit thread_local Part present_part;

/// A worker waits for the next region, whichever that is; who began a region for its end.
inline constexpr std::uint64_t kIdle = 8, kRegionEnds = 16;
/// Second keys of threads that sleep in the run-time library (simulate/engine.hpp). kTasks: the
/// thread may execute a task that is created. kWakesOthers: so it may, and it may have woken others
/// that sleep with one of these keys, as it has executed a task or completed data.
inline constexpr std::uint64_t kTasks = 24, kWakesOthers = 32;

/// By the thread that begins the region.
void begin_region(const Region& region);
void end_region(const Region& region);
/// By each of its threads, the beginning one too, around what it does in the region.
Part enter_region(const Region& region);
void leave_region(const Part& before);
/// Around a barrier.
void arrive();
void meet();

/// This thread is in the run-time library from here on, and may sleep there for `key`. If the
/// program has tasks, it may execute some meanwhile.
void enter_runtime(std::uint64_t key, std::uint64_t other = 0);
/// Behind a call: it is in the program again.
void leave_runtime();
/// If the program has tasks, regions end behind all of them, as threads execute some after they
/// have left the region's function (openmp_tasks.cpp). The threads of a region create some; a
/// thread has left its function; all tasks have ended.
void tasks_belong_to(const Region& region);
void leave_region_to_tasks(const Region& region, bool has_begun_it);
void tasks_ended(const Region& region);

/// In a loop that waits: gives the processor away.
void spin_once();
/// The same in a loop that waits for tasks, until a task is created, begins or ends. `seen`: number
/// of these events before the thread looked whether it may continue.
[[nodiscard]] std::uint32_t task_events();
void note_task_event();
void wait_for_task_event(std::uint32_t seen);

/// A call that may wait, and tells nothing else.
template <typename Call>
auto may_sleep(Call&& call) {
  struct Behind {
    std::uint64_t key;
    ~Behind() {
      leave_runtime();
      went_on(key);
    }
  } const behind{key_of(present_part.region)};
  enter_runtime(behind.key);
  return call();
}
template <typename Call>
auto at_barrier(Call&& call) {
  arrive();
  struct Behind {
    ~Behind() { meet(); }
  } const behind;
  return call();
}
/// A section that threads enter in the order of its own.
template <typename Call>
void enter_in_order(const void* section, Call&& call) {
  tell({.call = WaitCall::asleep, .key = key_of(section)});
  call();
  waited(section, 0);
}

/// A lock of the run-time library, which has none that can be tried: something stands for it, of
/// which that is asked first.
template <typename Call>
void take_lock(const void* lock, Call&& call) {
  const auto attempt = [&] { return tell({.call = WaitCall::tries, .key = key_of(lock)}); };
  bool has_turn = wants_turn(), has_it = attempt();
  turn_over();
  while (!has_it && has_turn) {
    has_turn = wants_turn(key_of(lock));
    has_it = attempt();
    turn_over();
  }
  if (!has_it) tell({.call = WaitCall::asleep, .key = key_of(lock)});
  call();
  waited(lock, 0);
}
template <typename Call>
void give_lock(const void* lock, Call&& call) {
  in_turn([&] {
    released(lock, 0);
    call();
    return tell({.call = WaitCall::gives_up, .key = key_of(lock)});
  });
}

}  // namespace Atoll::trace::inside::waits
