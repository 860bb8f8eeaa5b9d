/* A task pool: the next idle worker takes the next task, so the worker of a page isn't known before.
 */
#include "zoo.h"

enum { kWorkers = 4, kTasks = 40, kPages = 2 };
HEAP(tasks)
static struct Array* tasks;
static int next_task;

static void work(int me) {
  (void)me;
  for (;;) {
    const int task = __atomic_fetch_add(&next_task, 1, __ATOMIC_SEQ_CST);
    if (task >= kTasks) return;
    sweep(tasks, (size_t)task * kPages, kPages, kUpdate, 1 + task % 5);
  }
}

int main(void) {
  tasks = make_tasks(kTasks * kPages);
  run_workers(kWorkers, work);
  return zoo_told();
}
