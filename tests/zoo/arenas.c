/* Each worker allocates one-page blocks from libc's heap, and uses only its own. */
#include "zoo.h"

enum { kWorkers = 4, kBlocks = 8 };
HEAP(block)
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static void work(int me) {
  (void)me;
  for (int i = 0; i < kBlocks; ++i) {
    pthread_mutex_lock(&naming);
    struct Array* block = make_block(1);
    pthread_mutex_unlock(&naming);
    sweep(block, 0, 1, kUpdate, 1 + i);
  }
}

int main(void) {
  run_workers(kWorkers, work);
  return zoo_told();
}
