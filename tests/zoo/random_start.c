/* Workers begin in the reverse order of their creation. */
#include "zoo.h"

enum { kWorkers = 6, kPages = 8 };
HEAP(lots)
static struct Array* lots;

static void work(int me) {
  usleep((unsigned)(kWorkers - me) * 3000);
  sweep(lots, (size_t)me * kPages, kPages, kUpdate, 12);
}

int main(void) {
  lots = make_lots(kWorkers * kPages);
  sweep(lots, 0, kWorkers * kPages, kWrite, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
