// Tasks of OpenMP's run-time libraries. A task begins after its creation and after the tasks that
// it depends on. A thread that waits for tasks continues after their ends. Threads create and begin
// tasks in turns, so the assignment of tasks to threads follows simulated time.
#pragma once

#include "record/inside/waits/openmp.hpp"

namespace Atoll::record::inside::waits {

/// Tasks that a thread waits for together: the children of a task, or the tasks of a group.
struct TaskSet {
  struct Place {
    std::atomic<std::uint64_t> left;  ///< lower half: number of tasks that have not ended; upper
                                      ///< half: the set's number
    Place* outer_place;               ///< for groups: place of the enclosing group
    std::uint64_t outer_number;
  };
  Place* place;          ///< null: no set. The place's address is the set's key
  std::uint64_t number;  ///< distinguishes successive sets at the same place

  [[nodiscard]] std::uint64_t key() const { return place == nullptr ? 0 : key_of(place) + 3; }
  [[nodiscard]] bool has_ended() const;
  void add() const;
  void remove() const;
};

/// A task whose function is replaced. The thread that executes it may differ from its creator.
struct Task {
  static constexpr std::uint32_t kMaxDependences = 15;  ///< further ones aren't recorded
  std::uint64_t created;                                ///< number of the release at its creation
  std::uint64_t region;                                 ///< key of the region's end; 0: none
  TaskSet siblings, group;
  std::uint32_t dependence_count;
  const void* dependences[kMaxDependences];
};

/// Unit of work that a thread executes: a task, or its part of a region.
struct Executed {
  TaskSet children, group;   ///< its children, and the innermost group
  std::uint64_t region;      ///< key of the ends of the region's tasks; 0: none
  std::uint64_t sleeps_for;  ///< key of the wait while the thread is in the run-time library, else
                             ///< 0
  bool has_left_region;      ///< it has left the region's function and executes tasks until the
                             ///< region's end
  unsigned depth;            ///< number of enclosing tasks on this thread
  unsigned groups;           ///< number of groups that the thread is in
};

/// Adds the task to the sets of those that wait for its end, and records its creation.
void record_created(Task& task);
/// Creates a task. `call` passes it to the run-time library.
template <typename Call>
void create_task(Task& task, Call&& call) {
  request_turn();
  record_created(task);
  call();
  note_task_event();
  end_turn();
}

/// Called by the thread that executes the task, before and after its function.
[[nodiscard]] Executed begin_task(const Task& task);
void end_task(const Task& task, const Executed& before);

/// Returns the current task's children.
[[nodiscard]] TaskSet children();
void begin_group();
/// Ends the innermost group, and returns it.
[[nodiscard]] TaskSet end_group();

/// Makes a call that waits for `tasks`.
template <typename Call>
auto wait_for_tasks(const TaskSet& tasks, Call&& call) {
  if (tasks.place == nullptr) return call();
  enter_runtime(kTasks);
  struct AtExit {
    std::uint64_t key;
    ~AtExit() {
      leave_runtime();
      record({.call = WaitCall::took_all, .key = key});
    }
  } const at_exit{tasks.key()};
  return call();
}

}  // namespace Atoll::record::inside::waits
