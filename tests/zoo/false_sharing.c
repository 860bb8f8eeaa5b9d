/* Each worker updates its own word, but the words of all workers are on the same lines. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 2 };
GLOBAL(counters, kPages);
static struct Array* array;

static void work(int me) {
  meet();
  use(array, (size_t)me, kPages * kPageWords / 8, 8, kUpdate, 50);
}

int main(void) {
  array = array_at("counters", counters, kPages);
  run_workers(kWorkers, work);
  return zoo_told();
}
