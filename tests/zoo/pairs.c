/* Producers and consumers: worker 2k fills a buffer, worker 2k + 1 reads it. */
#include "zoo.h"

enum { kPairs = 3, kPages = 10, kRounds = 5 };
HEAP(buffers)
static struct Array* buffers;

static void work(int me) {
  for (int round = 0; round < kRounds; ++round) {
    if (me % 2 == 0) sweep(buffers, (size_t)(me / 2) * kPages, kPages, kWrite, 1);
    meet();
    if (me % 2 == 1) sweep(buffers, (size_t)(me / 2) * kPages, kPages, kRead, 1);
    meet();
  }
}

int main(void) {
  buffers = make_buffers(kPairs * kPages);
  run_workers(2 * kPairs, work);
  return zoo_told();
}
