/* Eight workers are created together; all but the last one end early. All are joined at the
 * end. */
#include "zoo.h"

enum { kWorkers = 8, kPages = 4 };
HEAP(shares)
static struct Array* shares;

static void work(int me) {
  sweep(shares, (size_t)me * kPages, kPages, kUpdate, me + 1 == kWorkers ? 40 : 4);
}

int main(void) {
  shares = make_shares(kWorkers * kPages);
  sweep(shares, 0, kWorkers * kPages, kWrite, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
