// Library inside a C program that `atoll run --schedule` starts. The program's threads request
// their tasks (include/atoll/marks/marks.h) and are bound to the schedule's processing units.
#include <sched.h>

#include <cstdlib>
#include <mutex>
#include <optional>

#include "apply/follow/trial.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/exit_code.hpp"
#include "atoll/base/log.hpp"
#include "atoll/marks/marks.h"
#include "atoll/parallel/inherited_schedule.hpp"

namespace {

using namespace Atoll;

/// Binds the calling thread to a processing unit, at its first request for tasks.
void pin(int unit) {
  static thread_local int pinned_to = -1;
  if (pinned_to == unit) return;
  cpu_set_t* const one = CPU_ALLOC(unit + 1);
  const std::size_t bytes = CPU_ALLOC_SIZE(unit + 1);
  CPU_ZERO_S(bytes, one);
  CPU_SET_S(unit, bytes, one);
  const bool done = ::sched_setaffinity(0, bytes, one) == 0;
  CPU_FREE(one);
  if (!done)
    note("processing unit " + std::to_string(unit) +
         ", where the schedule has a thread, isn't this process's: the thread stays where it is");
  pinned_to = unit;
}

const ScheduledLoop* lists_for(const TaskLoop& loop, std::uint32_t threads, LoopData data) {
  // The first thread that finds an error exits with the lock held, so the error is printed once.
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  const ScheduledLoop* lists = nullptr;
  const int code = exit_code_of([&] {
    if (const FollowedSchedule* const followed = inherited_schedule(); followed != nullptr)
      lists = followed->lists_for(loop, threads, data);
  });
  if (code != 0) std::exit(code);
  return lists;
}

int tasks_for(const atoll_loop& loop, std::uint32_t thread, std::uint32_t threads, LoopData data,
              atoll_tasks& tasks) {
  const std::uint64_t chunk = loop.chunk == 0 ? 1 : loop.chunk;
  const ScheduledLoop* const lists =
      lists_for({loop.name, loop.iterations, chunk, loop.fingerprint}, threads, data);
  if (lists == nullptr) return 0;
  pin(inherited_schedule()->schedule().places[thread].pu);
  tasks = {lists->of(thread).data(), 0, lists->of(thread).size()};
  return 1;
}

}  // namespace

__attribute__((visibility("default"))) int atoll_scheduled_tasks(const atoll_loop* loop,
                                                                 std::uint32_t thread,
                                                                 std::uint32_t threads,
                                                                 atoll_tasks* tasks) {
  apply::thread_requests_tasks(loop->name);
  return tasks_for(*loop, thread, threads, LoopData::stays, *tasks);
}

__attribute__((visibility("default"))) int atoll_scheduled_packed_tasks(const atoll_loop* loop,
                                                                        std::uint32_t thread,
                                                                        std::uint32_t threads,
                                                                        atoll_tasks* tasks) {
  return tasks_for(*loop, thread, threads, LoopData::is_packed, *tasks);
}
