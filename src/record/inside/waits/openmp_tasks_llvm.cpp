// Interposers for tasks of LLVM's libomp.
#include "record/inside/waits/openmp_tasks.hpp"

using namespace Atoll::record::inside::waits;

namespace {

/// First members of kmp_task_t.
struct KmpTask;
using Function = std::int32_t (*)(std::int32_t thread, KmpTask* task);
using Copy = void (*)(KmpTask* copy, KmpTask* task, std::int32_t is_last);
struct KmpTask {
  void* shared;
  Function function;
};

constexpr std::int32_t kTied = 1, kProxy = 1 << 4, kDetachable = 1 << 6;

/// Stored in the memory of the task's shared variables, before the program's part. The run-time
/// library allocates more of this memory than the program requested.
struct Replaced {
  Task task;
  Function function;
  Copy copy;
};
static_assert(sizeof(Replaced) % 16 == 0);  // keeps the alignment of the program's part
Replaced* replaced_of(const KmpTask* task) {
  return static_cast<Replaced*>(task->shared) - 1;
}

std::int32_t run_task(std::int32_t thread, KmpTask* task) {
  const Replaced replaced = *replaced_of(task);
  const Executed before = begin_task(replaced.task);
  const std::int32_t result = replaced.function(thread, task);
  end_task(replaced.task, before);
  return result;
}

/// A dependence (kmp_depend_info_t).
struct Dependence {
  std::intptr_t address;
  std::size_t bytes;
  std::uint64_t flags;
};
void note_dependences(Task& task, std::int32_t count, const Dependence* all) {
  for (std::int32_t i = 0; i < count && task.dependence_count < Task::kMaxDependences; ++i)
    task.dependences[task.dependence_count++] = reinterpret_cast<const void*>(all[i].address);
}

/// Called for each part of a taskloop, with the part's copy and the original task.
void copy_part(KmpTask* copy, KmpTask* loop, std::int32_t is_last) {
  const Replaced& replaced = *replaced_of(copy);
  replaced.task.siblings.add();
  replaced.task.group.add();
  if (replaced.copy != nullptr) replaced.copy(copy, loop, is_last);
}

constinit Next<std::int32_t (*)(void*, std::int32_t, std::int32_t)> next_yield{
    "__kmpc_omp_taskyield"};

/// Waits for tasks in a loop that reports its waits. The run-time library's own loop makes no call
/// that could be intercepted.
void execute_until_ended(const TaskSet& tasks, void* place, std::int32_t thread) {
  while (!tasks.has_ended()) {
    const std::uint32_t seen = task_events();
    next_yield(place, thread, 0);
    if (!tasks.has_ended()) wait_for_task_event(seen);
  }
}

template <typename Call>
std::int32_t create(KmpTask* task, Call&& call) {
  if (task->function != run_task) return call();
  std::int32_t result = 0;
  create_task(replaced_of(task)->task, [&] { result = call(); });
  return result;
}

}  // namespace

#define ATOLL_KMP_NEXT(name, ...)    \
  constinit Next<__VA_ARGS__> next { \
    #name                            \
  }

ATOLL_INTERPOSE KmpTask* __kmpc_omp_task_alloc(void* place, std::int32_t thread, std::int32_t flags,
                                               std::size_t bytes, std::size_t shared_bytes,
                                               Function function) {
  static ATOLL_KMP_NEXT(__kmpc_omp_task_alloc, KmpTask * (*)(void*, std::int32_t, std::int32_t,
                                                             std::size_t, std::size_t, Function));
  // Not replaced: untied tasks, which are executed in parts, and tasks that an event ends.
  if ((flags & kTied) == 0 || (flags & (kProxy | kDetachable)) != 0)
    return next(place, thread, flags, bytes, shared_bytes, function);
  KmpTask* const task =
      next(place, thread, flags, bytes, sizeof(Replaced) + shared_bytes, run_task);
  auto* const replaced = static_cast<Replaced*>(task->shared);
  *replaced = {};
  replaced->function = function;
  task->shared = replaced + 1;
  return task;
}

ATOLL_INTERPOSE std::int32_t __kmpc_omp_task(void* place, std::int32_t thread, KmpTask* task) {
  static ATOLL_KMP_NEXT(__kmpc_omp_task, std::int32_t(*)(void*, std::int32_t, KmpTask*));
  return create(task, [&] { return next(place, thread, task); });
}

ATOLL_INTERPOSE std::int32_t __kmpc_omp_task_with_deps(void* place, std::int32_t thread,
                                                       KmpTask* task, std::int32_t count,
                                                       Dependence* all, std::int32_t count_once,
                                                       Dependence* once) {
  static ATOLL_KMP_NEXT(__kmpc_omp_task_with_deps,
                        std::int32_t(*)(void*, std::int32_t, KmpTask*, std::int32_t, Dependence*,
                                        std::int32_t, Dependence*));
  if (task->function == run_task) {
    note_dependences(replaced_of(task)->task, count, all);
    note_dependences(replaced_of(task)->task, count_once, once);
  }
  return create(task, [&] { return next(place, thread, task, count, all, count_once, once); });
}

ATOLL_INTERPOSE std::int32_t __kmpc_omp_taskwait(void* place, std::int32_t thread) {
  static ATOLL_KMP_NEXT(__kmpc_omp_taskwait, std::int32_t(*)(void*, std::int32_t));
  const TaskSet tasks = children();
  std::int32_t result = 0;
  wait_for_tasks(tasks, [&] {
    execute_until_ended(tasks, place, thread);
    result = next(place, thread);
  });
  return result;
}

ATOLL_INTERPOSE std::int32_t __kmpc_omp_taskyield(void* place, std::int32_t thread,
                                                  std::int32_t end) {
  return may_sleep([&] { return next_yield(place, thread, end); });
}

ATOLL_INTERPOSE void __kmpc_taskgroup(void* place, std::int32_t thread) {
  static ATOLL_KMP_NEXT(__kmpc_taskgroup, void (*)(void*, std::int32_t));
  begin_group();
  next(place, thread);
}
ATOLL_INTERPOSE void __kmpc_end_taskgroup(void* place, std::int32_t thread) {
  static ATOLL_KMP_NEXT(__kmpc_end_taskgroup, void (*)(void*, std::int32_t));
  const TaskSet tasks = end_group();
  wait_for_tasks(tasks, [&] {
    execute_until_ended(tasks, place, thread);
    next(place, thread);
  });
}

ATOLL_INTERPOSE void __kmpc_taskloop(void* place, std::int32_t thread, KmpTask* task,
                                     std::int32_t is_deferred, std::uint64_t* begin,
                                     std::uint64_t* end, std::int64_t step, std::int32_t no_group,
                                     std::int32_t schedule, std::uint64_t grain, Copy copy) {
  static ATOLL_KMP_NEXT(__kmpc_taskloop, void (*)(void*, std::int32_t, KmpTask*, std::int32_t,
                                                  std::uint64_t*, std::uint64_t*, std::int64_t,
                                                  std::int32_t, std::int32_t, std::uint64_t, Copy));
  if (task->function != run_task)
    return may_sleep([&] {
      next(place, thread, task, is_deferred, begin, end, step, no_group, schedule, grain, copy);
    });
  if (no_group == 0) __kmpc_taskgroup(place, thread);
  Replaced& replaced = *replaced_of(task);
  replaced.copy = copy;
  Task created = {};
  create_task(replaced.task, [&] {
    created = replaced.task;  // the run-time library frees the task
    next(place, thread, task, is_deferred, begin, end, step, 1, schedule, grain, copy_part);
  });
  created.siblings.remove();
  created.group.remove();
  if (no_group == 0) __kmpc_end_taskgroup(place, thread);
}
