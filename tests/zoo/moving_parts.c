/* In each phase each worker uses another part, so each page is used by all workers in turn. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 8 };
HEAP(moving)
static struct Array* moving;

static void work(int me) {
  for (int phase = 0; phase < kWorkers; ++phase) {
    sweep(moving, (size_t)((me + phase) % kWorkers) * kPages, kPages, kUpdate, 3);
    meet();
  }
}

int main(void) {
  moving = make_moving(kWorkers * kPages);
  run_workers(kWorkers, work);
  return zoo_told();
}
