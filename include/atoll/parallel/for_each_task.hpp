// Loops whose iterations are tasks (docs/tasks.md): each thread runs an equal part, or what a
// schedule says [affinity §5.1]; a recorder, if there is one, is told which task a thread is at.
// What holds for all loops holds here (for_each.hpp), such as for exceptions and stopping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/parallel/chunk_queues.hpp"
#include "atoll/parallel/followed_schedule.hpp"
#include "atoll/parallel/for_each.hpp"
#include "atoll/parallel/inherited_schedule.hpp"
#include "atoll/parallel/task_observer.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll {

/// What a loop of tasks may be told besides its tasks.
struct TaskOptions {
  /// With a schedule: `fixed` follows it exactly, with `dynamic` a thread that has done its list
  /// helps the others, nearest first.
  LoopSchedule how = LoopSchedule::fixed;
  std::uint64_t fingerprint = 0;  ///< of the loop's structure; 0: none
  /// What to follow, which outlives the loop; null: the loop's plain order.
  const FollowedSchedule* follow = inherited_schedule();
  TaskObserver* observer = process_task_observer();  ///< null: nobody is told
};

/// The most iterations that a thread runs before it looks whether to stop, unless a task has more.
inline constexpr std::size_t kRangeIterations = 4 * kLoopChunk;

namespace detail {

/// The tasks that a thread takes at once: up to kRangeIterations, but enough is left for others to
/// help.
[[nodiscard]] std::size_t tasks_at_once(const TaskLoop& loop, const Team& team) noexcept;

/// Calls run(begin, end, thread) for positions in the queues, at most `most` at once.
template <class Run>
void for_each_position(const Team& team, ChunkQueues& queues, LoopSchedule how, std::size_t most,
                       Run&& run) {
  team.run([&](int thread) {
    ChunkQueues::Taker taker(queues, static_cast<std::size_t>(thread), how);
    try {
      for (std::size_t begin = 0, end = 0; taker.take(begin, end, most);) {
        team.check_stop();
        run(begin, end, static_cast<std::size_t>(thread));
      }
    } catch (...) {
      queues.stop();
      throw;
    }
  });
}

/// Tells the observer of a task, of its end also if it throws.
class ObservedTask {
 public:
  ObservedTask(TaskObserver& observer, const TaskLoop& loop, std::uint64_t task)
      : observer_(observer) {
    observer_.begin(loop, task);
  }
  ~ObservedTask() { observer_.end(); }
  ObservedTask(const ObservedTask&) = delete;
  ObservedTask& operator=(const ObservedTask&) = delete;

 private:
  TaskObserver& observer_;
};

}  // namespace detail

/// Calls body(begin, end, thread) for ranges of the iterations 0 … size - 1, each once; `chunk`
/// neighbouring iterations are a task. A range is a task, or, if nobody watches and nothing is
/// followed, up to kRangeIterations that follow each other. The name is the same whenever the loop
/// runs, and no other loop's. Throws Error (input) for a chunk of 0, and FollowedSchedule's errors.
template <class Body>
void for_each_task_range(const Team& team, const char* name, std::size_t size, std::size_t chunk,
                         Body&& body, const TaskOptions& options = {}) {
  if (chunk == 0)
    throw Error::input("loop '" + std::string(name) + "'", "has chunks of no iteration",
                       "1 makes each iteration a task");
  const TaskLoop loop{name, size, chunk, options.fingerprint};
  const ScheduledLoop* lists =
      options.follow == nullptr ? nullptr : options.follow->lists_for(loop, team.places());
  ChunkQueues queues = lists == nullptr ? ChunkQueues(team.neighbours(), loop.tasks())
                                        : ChunkQueues(team.neighbours(), *lists);
  const auto run = [&](std::size_t most, auto&& run_positions) {
    detail::for_each_position(team, queues, options.how, most, run_positions);
  };
  const std::size_t most = detail::tasks_at_once(loop, team);
  if (options.observer != nullptr) {
    options.observer->loop(loop);
    run(1, [&](std::size_t position, std::size_t, std::size_t thread) {
      const std::uint64_t task = lists == nullptr ? position : lists->tasks[position];
      const detail::ObservedTask observed(*options.observer, loop, task);
      body(loop.begin_of(task), loop.end_of(task), thread);
    });
  } else if (lists == nullptr) {
    run(most, [&](std::size_t begin, std::size_t end, std::size_t thread) {
      body(loop.begin_of(begin), loop.end_of(end - 1), thread);
    });
  } else if (chunk == 1) {
    run(most,
        [&body, tasks = lists->tasks.data()](std::size_t at, std::size_t end, std::size_t thread) {
          for (; at < end; ++at) body(std::size_t{tasks[at]}, std::size_t{tasks[at]} + 1, thread);
        });
  } else {
    run(most, [&](std::size_t at, std::size_t end, std::size_t thread) {
      for (; at < end; ++at)
        body(loop.begin_of(lists->tasks[at]), loop.end_of(lists->tasks[at]), thread);
    });
  }
}

/// Calls body(i) once for each iteration i, as for_each_task_range() does for ranges.
template <class Body>
void for_each_task(const Team& team, const char* name, std::size_t size, std::size_t chunk,
                   Body&& body, const TaskOptions& options = {}) {
  for_each_task_range(
      team, name, size, chunk,
      [&body](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) body(i);
      },
      options);
}

}  // namespace Atoll
