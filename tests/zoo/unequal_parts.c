/* Worker i has i + 1 parts, and uses its last part most. */
#include "zoo.h"

enum { kWorkers = 5, kPages = 4 };
HEAP(triangle)
static struct Array* triangle;

static void work(int me) {
  const size_t from = (size_t)(me * (me + 1) / 2) * kPages;
  for (int part = 0; part <= me; ++part)
    sweep(triangle, from + (size_t)part * kPages, kPages, kUpdate, part + 1);
}

int main(void) {
  triangle = make_triangle(kWorkers * (kWorkers + 1) / 2 * kPages);
  run_workers(kWorkers, work);
  return zoo_told();
}
