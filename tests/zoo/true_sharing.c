/* All workers update the same words. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 1 };
GLOBAL(sums, kPages);
static struct Array* array;

static void work(int me) {
  (void)me;
  meet();
  use(array, 0, kPageWords / 8, 8, kAdd, 40);
}

int main(void) {
  array = array_at("sums", sums, kPages);
  run_workers(kWorkers, work);
  return zoo_told();
}
