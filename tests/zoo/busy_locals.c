/* One thread initializes an array that exceeds the caches, and four threads read it. Most of their
 * accesses are to a local variable. */
#include "zoo.h"

enum { kWorkers = 4, kLocals = 1024 };
HEAP(source)
static struct Array* source;
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static void work(int me) {
  volatile uint64_t local[kPageWords] __attribute__((aligned(4096)));
  char name[32];
  pthread_mutex_lock(&naming);
  snprintf(name, sizeof name, "local %d", me);
  struct Array* array = array_at(name, local, 1);
  pthread_mutex_unlock(&naming);
  for (size_t page = 0; page < source->pages; ++page) {
    sweep(source, page, 1, kRead, 1);
    use(array, 0, 1, 1, kUpdate, kLocals);
  }
}

int main(void) {
  source = make_source(4 * cache_pages());
  sweep(source, 0, source->pages, kWrite, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
