/* One thread writes a table, and all workers read the whole table. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 24 };
GLOBAL(table, kPages);
static struct Array* array;

static void work(int me) {
  (void)me;
  sweep(array, 0, kPages, kRead, 5);
}

int main(void) {
  array = array_at("table", table, kPages);
  sweep(array, 0, kPages, kWrite, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
