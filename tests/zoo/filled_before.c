/* One thread initializes an array, and workers use one part each much later: no communication. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 64 };
HEAP(lots)
static struct Array* lots;

static void work(int me) {
  sweep(lots, (size_t)me * kPages, kPages, kUpdate, 4);
}

int main(void) {
  lots = make_lots(kWorkers * kPages);
  sweep(lots, 0, kWorkers * kPages, kWrite, 1);
  usleep(300000); /* takes many epochs */
  run_workers(kWorkers, work);
  return zoo_told();
}
