/* Each task of a loop uses its own element and one that every fourth task reads. Accesses that a
 * compiler or a tool moves out of the loop would be missing from the tasks. One thread. */
#include <stdio.h>
#include <stdlib.h>

#include "atoll/marks/marks.h"

enum { TASKS = 64, SHARED = 4 };

int main(void) {
  double* own = calloc(TASKS, sizeof *own);
  double* shared = calloc(SHARED, sizeof *shared);
  for (int i = 0; i < SHARED; ++i) shared[i] = i;
  for (uint64_t task = 0; task < TASKS; ++task) {
    atoll_mark_task_begin("elements", task);
    own[task] += shared[task % SHARED];
    atoll_mark_task_end();
  }
  double sum = 0;
  for (int i = 0; i < TASKS; ++i) sum += own[i];
  printf("%g\n", sum);
  return 0;
}
