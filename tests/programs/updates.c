/* Tasks that update the same words. Atomic updates are correct; plain updates of one word are a
 * data race. */
#include <stdint.h>
#include <string.h>

#include "atoll/marks/marks.h"

enum { TASKS = 100, COUNTERS = 8 };

static const struct atoll_loop updates = {"updates", TASKS, 1, 0};
static long counters[COUNTERS], each[TASKS * 8];
static double sum;
static long
    raced[2]; /* [0]: all tasks add without atomics; [1]: all tasks but one add atomically */

/* Atomic addition to a double, as in irregular programs: by compare and exchange. */
static void add(double* to, double more) {
  double before, after;
  int64_t old, new;
  do {
    old = __atomic_load_n((int64_t*)to, __ATOMIC_RELAXED);
    memcpy(&before, &old, sizeof before);
    after = before + more;
    memcpy(&new, &after, sizeof new);
  } while (
      !__atomic_compare_exchange_n((int64_t*)to, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

static void run(uint64_t task, int counts) {
  for (int i = 0; i < counts; ++i) __atomic_fetch_add(&counters[i], 1, __ATOMIC_RELAXED);
  add(&sum, (double)task);
  each[task * 8] = counters[0];
  raced[0] += (long)task;
  if (task == 7)
    raced[1] = 1;
  else
    __atomic_fetch_add(&raced[1], 1, __ATOMIC_SEQ_CST);
}

int main(int argc, char** argv) {
  (void)argv;
  const struct atoll_tasks mine = atoll_my_tasks(&updates, 0, 1);
  for (uint64_t k = 0; k < mine.count; ++k) {
    const uint64_t task = atoll_task_at(&mine, k);
    atoll_mark_task_begin(updates.name, task);
    run(task, argc * COUNTERS);
    atoll_mark_task_end();
  }
  return counters[0] == TASKS && sum == TASKS * (TASKS - 1) / 2 && each[0] == 1 && raced[0] > 0 ? 0
                                                                                                : 1;
}
