/* Marks that a program may make for a tool that watches it. Without such a tool they do nothing, in
 * a few nanoseconds. They need no library: the calls are weak, and a recorder defines them. */
#ifndef ATOLL_TRACE_MARKS_H
#define ATOLL_TRACE_MARKS_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Recording may be limited to what lies between these (atoll profile --between-marks). */
void atoll_record_begin(void) __attribute__((weak));
void atoll_record_end(void) __attribute__((weak));
/* A new iteration of the loop that --iterations counts. */
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

/* Tasks: the independent pieces of a parallel loop, each an iteration or a chunk of some [affinity
 * §2]. What they share decides which thread runs which of them (docs/tasks.md). C++ programs with a
 * team of Atoll's have for_each_task() (parallel/for_each_task.hpp) instead of these. */

/* A loop of tasks. Task t is the iterations t * chunk … t * chunk + chunk - 1, as far as there are
 * some; a chunk of 0 counts as 1. `fingerprint` may tell the loop's structure from others of the
 * same size, else it is 0. */
struct atoll_loop {
  const char* name;
  uint64_t iterations;
  uint64_t chunk;
  uint64_t fingerprint;
};
/* What a thread has to run: `count` tasks, listed in the order to run them. Without a list they are
 * `first`, `first` + 1, … */
struct atoll_tasks {
  const uint32_t* list;
  uint64_t first;
  uint64_t count;
};

/* The calls that a recorder defines, or what makes the program follow a schedule. The last two
 * return 0 if there is no schedule that fits the loop, or if it is predicted not to gain: with data
 * that stays where it is, and with data that atoll_pack() packs. */
void atoll_task_loop(const char* loop, uint64_t iterations, uint64_t chunk, uint64_t fingerprint)
    __attribute__((weak));
void atoll_task_begin(const char* loop, uint64_t task) __attribute__((weak));
void atoll_task_end(void) __attribute__((weak));
void atoll_reduction(const void* begin, uint64_t bytes) __attribute__((weak));
int atoll_scheduled_tasks(const struct atoll_loop* loop, uint32_t thread, uint32_t threads,
                          struct atoll_tasks* tasks) __attribute__((weak));
int atoll_scheduled_packed_tasks(const struct atoll_loop* loop, uint32_t thread, uint32_t threads,
                                 struct atoll_tasks* tasks) __attribute__((weak));

/* For the two functions below, whose `scheduled` is one of the two above. */
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
/* Returns the tasks of the loop that `thread` (of `threads`, from 0) has to run (the paper's
 * `mytasks`): a schedule's, or an equal part in order. Each thread calls it each time that the loop
 * runs. A thread beyond the last has none. The list is valid as long as the program runs. */
static inline struct atoll_tasks atoll_my_tasks(const struct atoll_loop* loop, uint32_t thread,
                                                uint32_t threads) {
  return atoll_tasks_by(atoll_scheduled_tasks, loop, thread, threads);
}
/* The same for a program that packs the arrays of the loop with atoll_pack(). */
static inline struct atoll_tasks atoll_my_packed_tasks(const struct atoll_loop* loop,
                                                       uint32_t thread, uint32_t threads) {
  return atoll_tasks_by(atoll_scheduled_packed_tasks, loop, thread, threads);
}
/* Returns the k-th of them. */
static inline uint64_t atoll_task_at(const struct atoll_tasks* tasks, uint64_t k) {
  return tasks->list ? tasks->list[k] : tasks->first + k;
}
/* Returns the first iteration of a task, and the one after its last. */
static inline uint64_t atoll_task_first(const struct atoll_loop* loop, uint64_t task) {
  return task * (loop->chunk == 0 ? 1 : loop->chunk);
}
static inline uint64_t atoll_task_after(const struct atoll_loop* loop, uint64_t task) {
  const uint64_t chunk = loop->chunk == 0 ? 1 : loop->chunk;
  const uint64_t left = loop->iterations - task * chunk;
  return task * chunk + (left < chunk ? left : chunk);
}

/* Returns how many iterations the tasks have: the elements of an array that atoll_pack() fills. */
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
/* Packs a thread's part of an array that is indexed by iteration, with elements of so many bytes:
 * to[k] = from[i], where i is the k-th iteration of the tasks. The loop then runs over `to` from 0
 * to atoll_packed_count() - 1. `to` is the thread's own, so that its pages are on the thread's
 * node. */
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
/* The way back: to[i] = from[k], for the iterations of the tasks. */
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

/* What this thread does between the two is done for the task. The same loop's task of the same
 * number is the same task, however often the loop runs. A thread is in one task at a time: a begin
 * ends the task before, so after a task inside a task the outer one is over. An end belongs to the
 * thread that calls it; without a task there it says nothing, and the task that it was meant for
 * goes on until its own thread begins another one or ends. */
static inline void atoll_mark_task_begin(const char* loop, uint64_t task) {
  if (atoll_task_begin) atoll_task_begin(loop, task);
}
static inline void atoll_mark_task_end(void) {
  if (atoll_task_end) atoll_task_end();
}
/* Tasks add to these bytes in any order: that several write to them doesn't make them depend on
 * each other. */
static inline void atoll_mark_reduction(const void* begin, uint64_t bytes) {
  if (atoll_reduction) atoll_reduction(begin, bytes);
}

#ifdef __cplusplus
}
#endif
#endif
