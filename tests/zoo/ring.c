/* Workers in a ring: each writes its own pages, then reads its neighbour's. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 16, kRounds = 6 };
HEAP(field)
static struct Array* field;

static void work(int me) {
  for (int round = 0; round < kRounds; ++round) {
    sweep(field, (size_t)me * kPages, kPages, kWrite, 1);
    meet();
    sweep(field, (size_t)((me + 1) % kWorkers) * kPages, kPages, kRead, 1);
    meet();
  }
}

int main(void) {
  field = make_field(kWorkers * kPages);
  run_workers(kWorkers, work);
  return zoo_told();
}
