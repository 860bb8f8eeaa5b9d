/* Replaces a recorder and a schedule: defines the weak functions of marks.h and prints each call to
 * standard error. If the environment has BACKWARDS, each thread gets its tasks in descending
 * order. */
#include <atoll/marks/marks.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static __thread char current[64];

void atoll_task_loop(const char* loop, uint64_t iterations, uint64_t chunk, uint64_t fingerprint) {
  fprintf(stderr, "loop %s %llu %llu %llu\n", loop, (unsigned long long)iterations,
          (unsigned long long)chunk, (unsigned long long)fingerprint);
}
void atoll_task_begin(const char* loop, uint64_t task) {
  if (current[0] != 0) fprintf(stderr, "begin in %s\n", current);
  snprintf(current, sizeof current, "%s %llu", loop, (unsigned long long)task);
}
void atoll_task_end(void) {
  fprintf(stderr, "ran %s\n", current);
  current[0] = 0;
}
void atoll_reduction(const void* begin, uint64_t bytes) {
  fprintf(stderr, "reduction %d %llu\n", begin != 0, (unsigned long long)bytes);
}
int atoll_scheduled_tasks(const struct atoll_loop* loop, uint32_t thread, uint32_t threads,
                          struct atoll_tasks* tasks) {
  static uint32_t lists[64][1000];
  if (getenv("BACKWARDS") == NULL) return 0;
  const uint64_t all = (loop->iterations + loop->chunk - 1) / loop->chunk;
  tasks->count = 0;
  for (uint64_t task = all; task-- > 0;)
    if (task % threads == thread) lists[thread][tasks->count++] = (uint32_t)task;
  tasks->list = lists[thread];
  return 1;
}
