/* All workers use one page of an array, more than all other pages together. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 8 };
HEAP(mixed)
static struct Array* mixed;

static void work(int me) {
  sweep(mixed, 1 + (size_t)me * kPages, kPages, kUpdate, 1);
  sweep(mixed, 0, 1, kAdd, 16);
}

int main(void) {
  mixed = make_mixed(1 + kWorkers * kPages);
  sweep(mixed, 0, 1, kWrite, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
