/* Two workers. Each repeatedly reads an array that exceeds its cache, then one that fits the cache,
 * with the same number of accesses. */
#include "zoo.h"

enum { kWorkers = 2, kRounds = 3 };
HEAP(large)
HEAP(small)
static struct Array *large, *small;

static void work(int me) {
  const size_t large_part = large->pages / kWorkers, small_part = small->pages / kWorkers;
  sweep(large, (size_t)me * large_part, large_part, kRead, kRounds);
  sweep(small, (size_t)me * small_part, small_part, kRead,
        kRounds * (int)(large_part / small_part));
}

int main(void) {
  large = make_large(kWorkers * 4 * cache_pages());
  small = make_small(kWorkers * cache_pages() / 4);
  run_workers(kWorkers, work);
  return zoo_told();
}
