/* Each worker writes its own part, creates the next worker and joins it. */
#include "zoo.h"

enum { kWorkers = 5, kPages = 8 };
HEAP(nested)
static struct Array* nested;

static void work(int me) {
  sweep(nested, (size_t)me * kPages, kPages, kWrite, 1);
  if (me + 1 < kWorkers) join_worker(start_worker(me + 1, work));
  sweep(nested, (size_t)me * kPages, kPages, kRead, 4);
}

int main(void) {
  nested = make_nested(kWorkers * kPages);
  run_workers(1, work);
  return zoo_told();
}
