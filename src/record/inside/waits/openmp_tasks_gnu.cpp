// Interposers for tasks of gcc's libgomp.
#include <new>

#include "record/inside/waits/openmp_tasks.hpp"

using namespace Atoll::record::inside::waits;

namespace {

using Function = void (*)(void*);
using Copy = void (*)(void*, void*);

constexpr unsigned kDepends = 1 << 3, kNoGroup = 1 << 11, kReduces = 1 << 12, kDetaches = 1 << 13;

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<volatile char*>(to)[i] = static_cast<const char*>(from)[i];
}

/// Header that the run-time library copies in place of the task's data. A copy of the data follows
/// it.
struct Replaced {
  long iterations[2];  ///< range of a part of a taskloop; the run-time library sets it in the copy
  Task task;
  Function function;
  Copy copy;
  const void* data;
  std::size_t bytes, offset;  ///< size of the data, and their offset in the copy
  bool is_loop;

  [[nodiscard]] void* copied() { return reinterpret_cast<char*>(this) + offset; }
};

void copy_task(void* to, void* from) {
  auto& copy = *new (to) Replaced(*static_cast<Replaced*>(from));
  if (copy.copy != nullptr)
    copy.copy(copy.copied(), const_cast<void*>(copy.data));
  else
    copy_bytes(copy.copied(), copy.data, copy.bytes);
}

void run_task(void* argument) {
  auto& replaced = *static_cast<Replaced*>(argument);
  void* const data = replaced.copied();
  if (replaced.is_loop) copy_bytes(data, replaced.iterations, sizeof replaced.iterations);
  const Task task = replaced.task;
  const Executed before = begin_task(task);
  replaced.function(data);
  end_task(task, before);
}

/// Records the addresses that a task depends on. Old format: their number, the number of those that
/// are written, the addresses. New format: a 0, their number, three more numbers, the addresses.
void note_dependences(Task& task, void* const* depends) {
  const bool is_old = depends[0] != nullptr;
  const auto count = reinterpret_cast<std::uintptr_t>(depends[is_old ? 0 : 1]);
  void* const* const addresses = depends + (is_old ? 2 : 5);
  while (task.dependence_count < count && task.dependence_count < Task::kMaxDependences) {
    task.dependences[task.dependence_count] = addresses[task.dependence_count];
    ++task.dependence_count;
  }
}

Replaced replace(Function function, const void* data, Copy copy, long bytes, long align) {
  Replaced replaced = {};
  replaced.function = function;
  replaced.copy = copy;
  replaced.data = data;
  replaced.bytes = static_cast<std::size_t>(bytes);
  const auto unit = static_cast<std::size_t>(align < 1 ? 1 : align);
  replaced.offset = (sizeof replaced + unit - 1) / unit * unit;
  return replaced;
}
long bytes_with(const Replaced& replaced) {
  return static_cast<long>(replaced.offset + replaced.bytes);
}
long align_with(long align) {
  return align < static_cast<long>(alignof(Replaced)) ? static_cast<long>(alignof(Replaced))
                                                      : align;
}

}  // namespace

#define ATOLL_GOMP_NEXT(name, ...)   \
  constinit Next<__VA_ARGS__> next { \
    #name                            \
  }

ATOLL_INTERPOSE void GOMP_task(Function function, void* data, Copy copy, long bytes, long align,
                               bool is_deferred, unsigned flags, void** depends, int priority,
                               void* detach) {
  static ATOLL_GOMP_NEXT(
      GOMP_task, void (*)(Function, void*, Copy, long, long, bool, unsigned, void**, int, void*));
  if ((flags & kDetaches) != 0)  // its data contain the event that ends it
    return next(function, data, copy, bytes, align, is_deferred, flags, depends, priority, detach);
  Replaced replaced = replace(function, data, copy, bytes, align);
  if ((flags & kDepends) != 0) note_dependences(replaced.task, depends);
  create_task(replaced.task, [&] {
    next(run_task, &replaced, copy_task, bytes_with(replaced), align_with(align), is_deferred,
         flags, depends, priority, detach);
  });
}

#define ATOLL_GOMP_TASKLOOP(name, T)                                                               \
  ATOLL_INTERPOSE void name(Function function, void* data, Copy copy, long bytes, long align,      \
                            unsigned flags, unsigned long tasks, int priority, T begin, T end,     \
                            T step) {                                                              \
    static ATOLL_GOMP_NEXT(                                                                        \
        name, void (*)(Function, void*, Copy, long, long, unsigned, unsigned long, int, T, T, T)); \
    if ((flags & kReduces) != 0) /* the data refer to reduction variables */                       \
      return may_sleep([&] {                                                                       \
        next(function, data, copy, bytes, align, flags, tasks, priority, begin, end, step);        \
      });                                                                                          \
    Replaced replaced = replace(function, data, copy, bytes, align);                               \
    replaced.is_loop = true;                                                                       \
    const auto call = [&] {                                                                        \
      next(run_task, &replaced, copy_task, bytes_with(replaced), align_with(align), flags, tasks,  \
           priority, begin, end, step);                                                            \
    };                                                                                             \
    if ((flags & kNoGroup) != 0) return create_task(replaced.task, call);                          \
    begin_group();                                                                                 \
    create_task(replaced.task, [] {});                                                             \
    wait_for_tasks(end_group(), call);                                                             \
  }
ATOLL_GOMP_TASKLOOP(GOMP_taskloop, long)
ATOLL_GOMP_TASKLOOP(GOMP_taskloop_ull, unsigned long long)

ATOLL_INTERPOSE void GOMP_taskwait(void) {
  static ATOLL_GOMP_NEXT(GOMP_taskwait, void (*)());
  wait_for_tasks(children(), [&] { next(); });
}
ATOLL_INTERPOSE void GOMP_taskwait_depend(void** depends) {
  static ATOLL_GOMP_NEXT(GOMP_taskwait_depend, void (*)(void**));
  wait_for_tasks(children(), [&] { next(depends); });
}
ATOLL_INTERPOSE void GOMP_taskgroup_start(void) {
  static ATOLL_GOMP_NEXT(GOMP_taskgroup_start, void (*)());
  begin_group();
  next();
}
ATOLL_INTERPOSE void GOMP_taskgroup_end(void) {
  static ATOLL_GOMP_NEXT(GOMP_taskgroup_end, void (*)());
  wait_for_tasks(end_group(), [&] { next(); });
}
