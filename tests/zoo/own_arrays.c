/* Each worker allocates its own array. The main thread reads the last worker's array at the end. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 20 };
HEAP(own)
static struct Array* owned[kWorkers];
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static void work(int me) {
  pthread_mutex_lock(&naming);
  owned[me] = make_own(kPages);
  pthread_mutex_unlock(&naming);
  sweep(owned[me], 0, kPages, kUpdate, 4);
}

int main(void) {
  run_workers(kWorkers, work);
  sweep(owned[kWorkers - 1], 0, kPages, kRead, 1);
  return zoo_told();
}
