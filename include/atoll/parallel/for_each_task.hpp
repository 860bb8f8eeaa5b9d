// Loops whose iterations are tasks (docs/tasks.md). Each thread runs an equal part, or the list of
// a schedule [affinity §5.1]. A recorder, if present, is notified of each task. Exceptions and
// stopping work as in all loops (for_each.hpp).
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

/// Options of a loop of tasks.
struct TaskOptions {
  /// With a schedule, `fixed` follows it exactly. With `dynamic`, a thread that has finished its
  /// list steals tasks from others, nearest first.
  LoopSchedule how = LoopSchedule::fixed;
  std::uint64_t fingerprint = 0;  ///< hash of the loop's structure; 0 means none
  /// The schedule to follow, which outlives the loop; null means plain order.
  const FollowedSchedule* follow = inherited_schedule();
  TaskObserver* observer = process_task_observer();  ///< null means none
};

/// Maximum number of iterations between two checks for a stop request, unless a task has more.
inline constexpr std::size_t kRangeIterations = 4 * kLoopChunk;

namespace detail {

/// Returns the number of tasks that a thread takes at once: at most kRangeIterations iterations,
/// and few enough that others can steal.
[[nodiscard]] std::size_t tasks_at_once(const TaskLoop& loop, const Team& team) noexcept;

/// Calls run(begin, end, thread) for the positions in the queues, at most `most` per call.
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

/// Notifies the observer of a task's begin and end, also if the task throws.
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

/// Calls body(begin, end, thread) for ranges that cover the iterations [0, size) exactly once. A
/// task is `chunk` consecutive iterations. A range is a task; without observer and schedule, it is
/// up to kRangeIterations consecutive iterations. The name identifies the loop: it is the same in
/// each run and differs from other loops' names. Throws Error (input) if `chunk` is 0, and
/// FollowedSchedule's errors.
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

/// Calls body(i) once for each iteration i, otherwise like for_each_task_range().
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
