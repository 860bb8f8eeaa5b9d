/* Marks that a program sets for a tool that watches it. Without such a tool, a mark costs a few
 * nanoseconds and has no effect. No library is needed: the calls are weak symbols that a
 * recorder defines. */
#ifndef ATOLL_MARKS_MARKS_H
#define ATOLL_MARKS_MARKS_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begin and end of a section to which recording can be limited (atoll profile --between-marks). */
void atoll_record_begin(void) __attribute__((weak));
void atoll_record_end(void) __attribute__((weak));
/* Begins a new iteration of the loop that --iterations counts. */
void atoll_iteration(void) __attribute__((weak));

static inline void atoll_mark_begin(void) {
  if (atoll_record_begin) atoll_record_begin();
}
static inline void atoll_mark_end(void) {
  if (atoll_record_end) atoll_record_end();
}
static inline void atoll_mark_iteration(void) {
  if (atoll_iteration) atoll_iteration();
}

/* Tasks: independent parts of a parallel loop, each one iteration or a chunk of several
 * [affinity §2]. The data that tasks share decides which thread runs which tasks
 * (docs/tasks.md). C++ programs with an Atoll Team use for_each_task()
 * (parallel/for_each_task.hpp) instead. */

/* Loop of tasks. Task t has the iterations t * chunk to t * chunk + chunk - 1; the last task may
 * have fewer. A chunk of 0 counts as 1. `fingerprint` distinguishes the loop's structure from
 * others of the same size; 0 if unused. */
struct atoll_loop {
  const char* name;
  uint64_t iterations;
  uint64_t chunk;
  uint64_t fingerprint;
};
/* Tasks of one thread: the `count` tasks of `list`, in the order to run them. If `list` is null,
 * the tasks `first`, `first` + 1, … */
struct atoll_tasks {
  const uint32_t* list;
  uint64_t first;
  uint64_t count;
};

/* Functions that a recorder or a library that applies a schedule defines. The last two return 0
 * if no schedule fits the loop, or if the schedule is predicted not to save time: the first one
 * for data that stays in place, the second one for data that atoll_pack() packs. */
void atoll_task_loop(const char* loop, uint64_t iterations, uint64_t chunk, uint64_t fingerprint)
    __attribute__((weak));
void atoll_task_begin(const char* loop, uint64_t task) __attribute__((weak));
void atoll_task_end(void) __attribute__((weak));
void atoll_reduction(const void* begin, uint64_t bytes) __attribute__((weak));
int atoll_scheduled_tasks(const struct atoll_loop* loop, uint32_t thread, uint32_t threads,
                          struct atoll_tasks* tasks) __attribute__((weak));
int atoll_scheduled_packed_tasks(const struct atoll_loop* loop, uint32_t thread, uint32_t threads,
                                 struct atoll_tasks* tasks) __attribute__((weak));

/* Implementation of the next two functions; `scheduled` is one of the two functions above. */
static inline struct atoll_tasks atoll_tasks_by(int (*scheduled)(const struct atoll_loop*, uint32_t,
                                                                 uint32_t, struct atoll_tasks*),
                                                const struct atoll_loop* loop, uint32_t thread,
                                                uint32_t threads) {
  struct atoll_tasks tasks = {0, 0, 0}; /* NOLINT(modernize-use-nullptr): C has none */
  const uint64_t chunk = loop->chunk == 0 ? 1 : loop->chunk;
  const uint64_t all = loop->iterations / chunk + (loop->iterations % chunk != 0);
  if (atoll_task_loop) atoll_task_loop(loop->name, loop->iterations, chunk, loop->fingerprint);
  if (thread >= threads) return tasks;
  if (scheduled && scheduled(loop, thread, threads, &tasks)) return tasks;
  tasks.list = 0; /* NOLINT(modernize-use-nullptr) */
  tasks.first = all / threads * thread + all % threads * thread / threads;
  tasks.count = all / threads * (thread + 1ULL) + all % threads * (thread + 1ULL) / threads;
  tasks.count -= tasks.first;
  return tasks;
}
/* Returns the tasks of the loop that `thread` (0 to `threads` - 1) has to run (the paper's
 * `mytasks`): those of a schedule, or else an equal share in ascending order. Each thread must
 * call it each time that the loop runs. If `thread` >= `threads`, there are none. The list stays
 * valid until the program ends. */
static inline struct atoll_tasks atoll_my_tasks(const struct atoll_loop* loop, uint32_t thread,
                                                uint32_t threads) {
  return atoll_tasks_by(atoll_scheduled_tasks, loop, thread, threads);
}
/* As atoll_my_tasks(), for a program that packs the arrays of the loop with atoll_pack(). */
static inline struct atoll_tasks atoll_my_packed_tasks(const struct atoll_loop* loop,
                                                       uint32_t thread, uint32_t threads) {
  return atoll_tasks_by(atoll_scheduled_packed_tasks, loop, thread, threads);
}
/* Returns the number of the k-th task. */
static inline uint64_t atoll_task_at(const struct atoll_tasks* tasks, uint64_t k) {
  return tasks->list ? tasks->list[k] : tasks->first + k;
}
/* Return the first iteration of a task, and the iteration after its last. */
static inline uint64_t atoll_task_first(const struct atoll_loop* loop, uint64_t task) {
  return task * (loop->chunk == 0 ? 1 : loop->chunk);
}
static inline uint64_t atoll_task_after(const struct atoll_loop* loop, uint64_t task) {
  const uint64_t chunk = loop->chunk == 0 ? 1 : loop->chunk;
  const uint64_t left = loop->iterations - task * chunk;
  return task * chunk + (left < chunk ? left : chunk);
}

/* Returns the number of iterations of the tasks, which is the number of elements that
 * atoll_pack() writes. */
static inline uint64_t atoll_packed_count(const struct atoll_loop* loop,
                                          const struct atoll_tasks* tasks) {
  uint64_t count = 0;
  for (uint64_t k = 0; k < tasks->count; ++k) {
    const uint64_t task = atoll_task_at(tasks, k);
    count += atoll_task_after(loop, task) - atoll_task_first(loop, task);
  }
  return count;
}
#ifdef __cplusplus
#define ATOLL_MARKS_CAST(type, value) static_cast<type>(value)
#else
#define ATOLL_MARKS_CAST(type, value) ((type)(value))
#endif
/* Packs a thread's part of an array that is indexed by iteration. `bytes` is the size of an
 * element. to[k] = from[i], where i is the k-th iteration of the tasks. The loop then runs over
 * `to` from 0 to atoll_packed_count() - 1. Each thread has its own `to`, so its pages are on the
 * thread's node. */
static inline void atoll_pack(const struct atoll_loop* loop, const struct atoll_tasks* tasks,
                              const void* from, void* to, uint64_t bytes) {
  char* next = ATOLL_MARKS_CAST(char*, to);
  for (uint64_t k = 0; k < tasks->count; ++k) {
    const uint64_t task = atoll_task_at(tasks, k), first = atoll_task_first(loop, task);
    const uint64_t all = (atoll_task_after(loop, task) - first) * bytes;
    memcpy(next, ATOLL_MARKS_CAST(const char*, from) + first * bytes, all);
    next += all;
  }
}
/* Inverse of atoll_pack(): to[i] = from[k] for the iterations of the tasks. */
static inline void atoll_unpack(const struct atoll_loop* loop, const struct atoll_tasks* tasks,
                                const void* from, void* to, uint64_t bytes) {
  const char* next = ATOLL_MARKS_CAST(const char*, from);
  for (uint64_t k = 0; k < tasks->count; ++k) {
    const uint64_t task = atoll_task_at(tasks, k), first = atoll_task_first(loop, task);
    const uint64_t all = (atoll_task_after(loop, task) - first) * bytes;
    memcpy(ATOLL_MARKS_CAST(char*, to) + first * bytes, next, all);
    next += all;
  }
}
#undef ATOLL_MARKS_CAST

/* Begin and end of a task in this thread. Accesses between them belong to the task. Each time the
 * loop runs, its task of the same number is the same task. A thread is in at most one task: a
 * begin also ends the previous task, so tasks do not nest. An end applies to the thread that calls
 * it, and has no effect if that thread is in no task. A task that is not ended lasts until its
 * thread begins another one or ends. */
static inline void atoll_mark_task_begin(const char* loop, uint64_t task) {
  if (atoll_task_begin) atoll_task_begin(loop, task);
}
static inline void atoll_mark_task_end(void) {
  if (atoll_task_end) atoll_task_end();
}
/* Declares memory to which tasks add in any order, so writes to it by several tasks are no
 * dependencies. */
static inline void atoll_mark_reduction(const void* begin, uint64_t bytes) {
  if (atoll_reduction) atoll_reduction(begin, bytes);
}

#ifdef __cplusplus
}
#endif
#endif
