/* Workers use their thread-local variables, which libc clears in the thread that creates them. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 10 };
static __thread volatile uint64_t mine[kPages * kPageWords] __attribute__((aligned(4096)));
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static void work(int me) {
  char name[32];
  snprintf(name, sizeof name, "local %d", me);
  pthread_mutex_lock(&naming);
  struct Array* array = array_at(name, mine, kPages);
  somehow_used(array, &zoo_workers[0]);
  pthread_mutex_unlock(&naming);
  sweep(array, 0, kPages, kUpdate, 5);
}

int main(void) {
  run_workers(kWorkers, work);
  return zoo_told();
}
