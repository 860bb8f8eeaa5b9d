/* Each phase has new workers; worker i of each phase uses part i. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 8, kPhases = 6 };
HEAP(parts)
static struct Array* parts;

static void work(int me) {
  sweep(parts, (size_t)me * kPages, kPages, kUpdate, 3);
}

int main(void) {
  parts = make_parts(kWorkers * kPages);
  for (int phase = 0; phase < kPhases; ++phase) run_workers(kWorkers, work);
  return zoo_told();
}
