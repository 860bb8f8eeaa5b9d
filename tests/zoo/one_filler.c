/* The program of [shoal §2]: one thread initializes an array, then each worker uses its own part.
 */
#include "zoo.h"

enum { kWorkers = 4, kPages = 20 };
HEAP(data)
static struct Array* data;

static void work(int me) {
  sweep(data, (size_t)me * kPages, kPages, kUpdate, 12);
}

int main(void) {
  data = make_data(kWorkers * kPages);
  sweep(data, 0, kWorkers * kPages, kWrite, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
