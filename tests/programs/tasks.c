/* A loop of tasks in plain C with its own threads: tasks ITERATIONS CHUNK THREADS. Each thread
 * requests its tasks and runs them. Prints each thread's tasks. Linked without Atoll. */
#include <atoll/marks/marks.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct atoll_loop rows = {"rows", 0, 0, 7};
static uint32_t threads;
static int* ran_by;
static uint64_t* order; /* tasks in the order of execution, by thread */
static uint64_t counts[64];

static void* work(void* which) {
  const uint32_t thread = (uint32_t)(size_t)which;
  const struct atoll_tasks mine = atoll_my_tasks(&rows, thread, threads);
  counts[thread] = mine.count;
  for (uint64_t k = 0; k < mine.count; ++k) {
    const uint64_t task = atoll_task_at(&mine, k);
    atoll_mark_task_begin(rows.name, task);
    for (uint64_t i = atoll_task_first(&rows, task); i < atoll_task_after(&rows, task); ++i)
      ran_by[i] = ran_by[i] == -1 ? (int)thread : -2;
    order[thread * rows.iterations + k] = task;
    atoll_mark_task_end();
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  rows.iterations = strtoull(argv[1], 0, 10);
  rows.chunk = strtoull(argv[2], 0, 10);
  threads = (uint32_t)atoi(argv[3]);
  ran_by = malloc((rows.iterations + 1) * sizeof *ran_by);
  order = malloc((rows.iterations + 1) * threads * sizeof *order);
  for (uint64_t i = 0; i < rows.iterations; ++i) ran_by[i] = -1;
  atoll_mark_reduction(counts, sizeof counts);
  pthread_t ids[64];
  for (size_t t = 0; t < threads; ++t) pthread_create(ids + t, 0, work, (void*)t);
  for (size_t t = 0; t < threads; ++t) pthread_join(ids[t], 0);
  for (uint64_t i = 0; i < rows.iterations; ++i) printf("%d ", ran_by[i]);
  for (size_t t = 0; t < threads; ++t) {
    printf("\n");
    for (uint64_t k = 0; k < counts[t]; ++k)
      printf("%llu ", (unsigned long long)order[t * rows.iterations + k]);
  }
  printf("\n");
  return 0;
}
