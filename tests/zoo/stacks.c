/* Workers use nothing but their stacks: an array there, and the page of the first functions'
 * frames, where nothing of libc's is. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 16 };
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static void work(int me) {
  volatile uint64_t local[kPages * kPageWords] __attribute__((aligned(4096)));
  char name[32];
  pthread_mutex_lock(&naming);
  snprintf(name, sizeof name, "stack %d", me);
  struct Array* array = array_at(name, local, kPages);
  pthread_mutex_unlock(&naming);
  sweep(array, 0, kPages, kUpdate, 4);
}

int main(void) {
  run_workers(kWorkers, work);
  return zoo_told();
}
