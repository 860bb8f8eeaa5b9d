/* Alternating tasks of two families; the tasks of a family read the same table. Threads run the tasks that a schedule
 * assigns to them, and the program prints "THREAD FAMILY" for each task. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "atoll/marks/marks.h"

enum { TASKS = 200, WORDS = 64, THREADS = 2 };

static const struct atoll_loop families = {"families", TASKS, 1, 0};
static double *tables[2], *sums, *total;
static int ran_by[TASKS];

static void run(uint64_t task, int thread) {
  double sum = 0;
  for (int i = 0; i < WORDS; ++i) sum += tables[task % 2][i] * (double)(task + 1);
  sums[task] = sum;
  *total += sum; /* all tasks update it: a race, which must be recorded */
  ran_by[task] = thread;
}

static void* work(void* argument) {
  const uint32_t thread = (uint32_t)(size_t)argument;
  const struct atoll_tasks mine = atoll_my_tasks(&families, thread, THREADS);
  for (uint64_t k = 0; k < mine.count; ++k) {
    const uint64_t task = atoll_task_at(&mine, k);
    atoll_mark_task_begin(families.name, task);
    run(task, (int)thread);
    atoll_mark_task_end();
  }
  return NULL;
}

/* With an argument, marks the total as a reduction, to which tasks may add in any order. */
int main(int argc, char** argv) {
  (void)argv;
  for (int family = 0; family < 2; ++family) {
    tables[family] = malloc(WORDS * sizeof(double));
    for (int i = 0; i < WORDS; ++i) tables[family][i] = i;
  }
  sums = calloc(TASKS, sizeof(double));
  total = calloc(64, sizeof(double));
  if (argc > 1) atoll_mark_reduction(total, sizeof(double));
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (uint64_t task = 0; task < TASKS; ++task) printf("%d %d\n", ran_by[task], (int)(task % 2));
  return 0;
}
