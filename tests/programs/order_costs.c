/* A loop that takes longer with a schedule (argument "slower") or without one ("faster"). The difference is a number of
 * iterations of an empty loop, so that it is large on every machine. The second argument is the number of runs; with
 * "marked" as third argument, all runs are marked as a phase. */
#include <atoll/marks/marks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS 64
static double table[2][512], sum[TASKS];

static void turn(long times) {
  for (volatile long i = 0; i < times; ++i) {
  }
}

int main(int argc, char** argv) {
  const int is_slower = strcmp(argv[1], "slower") == 0, runs = argc > 2 ? atoi(argv[2]) : 5;
  const int is_marked = argc > 3 && strcmp(argv[3], "marked") == 0;
  const struct atoll_loop loop = {"costs", TASKS, 1, 0};
  if (strcmp(argv[1], "fails") == 0 && getenv("ATOLL_TRIAL")) return 3;
  int lists = 0;
  turn(20000000); /* set-up before the loop */
  if (is_marked) atoll_mark_begin();
  for (int run = 0; run < runs; ++run) {
    const struct atoll_tasks mine = atoll_my_tasks(&loop, 0, 1);
    lists += mine.list != NULL;
    turn((mine.list != NULL) == is_slower ? 60000000 : 20000000);
    for (uint64_t k = 0; k < mine.count; ++k) {
      const uint64_t task = atoll_task_at(&mine, k);
      atoll_mark_task_begin(loop.name, task);
      for (int i = 0; i < 512; ++i) sum[task] += table[task % 2][i];
      atoll_mark_task_end();
    }
  }
  if (is_marked) atoll_mark_end();
  printf("%d of %d runs had a list\n", lists, runs);
  return 0;
}
