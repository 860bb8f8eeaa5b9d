// Tasks of OpenMP's run-time libraries. A task begins behind its creation and the tasks that it
// depends on; a thread that waits for tasks goes on behind their ends. Threads create and begin
// tasks in turns, so who gets a task follows simulated time.
#pragma once

#include "trace/inside/waits/openmp.hpp"

namespace Atoll::trace::inside::waits {

/// Tasks that a thread waits for together: the children of a task, or a group's.
struct TaskSet {
  struct Place {
    std::atomic<std::uint64_t> left;  ///< how many have not ended; the set's number above that
    Place* outer_place;               ///< of a group: the one around it
    std::uint64_t outer_number;
  };
  Place* place;          ///< null: there is none. Its address is the set's key
  std::uint64_t number;  ///< of the sets that were there

  [[nodiscard]] std::uint64_t key() const { return place == nullptr ? 0 : key_of(place) + 3; }
  [[nodiscard]] bool has_ended() const;
  void add() const;
  void remove() const;
};

/// A task whose function is replaced. One thread creates it, and perhaps another one executes it.
struct Task {
  static constexpr std::uint32_t kMaxDependences = 15;  ///< further ones are not told
  std::uint64_t created;                                ///< number of the release
  std::uint64_t region;                                 ///< key of its end; 0: none
  TaskSet siblings, group;
  std::uint32_t dependence_count;
  const void* dependences[kMaxDependences];
};

/// Unit that a thread executes: a task, or its part of a region.
struct Executed {
  TaskSet children, group;   ///< the innermost group
  std::uint64_t region;      ///< key of the ends of its tasks; 0: none
  std::uint64_t sleeps_for;  ///< key, while the thread is in the run-time library; else 0
  bool has_left_region;      ///< it executes tasks until the region's end
  unsigned depth;            ///< tasks around it on this thread
  unsigned groups;           ///< that the thread is in
};

/// Notes what waits for the task's end, and tells of its creation.
void tell_created(Task& task);
/// Calls the function of the run-time library that gets the task.
template <typename Call>
void create_task(Task& task, Call&& call) {
  wants_turn();
  tell_created(task);
  call();
  note_task_event();
  turn_over();
}

/// By the thread that executes the task, around its function.
[[nodiscard]] Executed begin_task(const Task& task);
void end_task(const Task& task, const Executed& before);

/// The present task's children.
[[nodiscard]] TaskSet children();
void begin_group();
/// The innermost group, which ends.
[[nodiscard]] TaskSet end_group();

/// A call that waits for tasks.
template <typename Call>
auto wait_for_tasks(const TaskSet& tasks, Call&& call) {
  if (tasks.place == nullptr) return call();
  enter_runtime(kTasks);
  struct Behind {
    std::uint64_t key;
    ~Behind() {
      leave_runtime();
      tell({.call = WaitCall::took_all, .key = key});
    }
  } const behind{tasks.key()};
  return call();
}

}  // namespace Atoll::trace::inside::waits
