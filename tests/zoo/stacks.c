/* Workers use only their stacks: an array, and the page with the frames of the thread's first
 * functions, if that page has no data of libc. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 16 };
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static void work(int me) {
  volatile uint64_t local[kPages * kPageWords] __attribute__((aligned(4096)));
  const uintptr_t top = (uintptr_t)__builtin_frame_address(0) / kPage * kPage;
  char name[32];
  pthread_mutex_lock(&naming);
  snprintf(name, sizeof name, "stack %d", me);
  struct Array* array = array_at(name, local, kPages);
  snprintf(name, sizeof name, "top of stack %d", me);
  if (top / kPage != ((uintptr_t)pthread_self() - 1024) / kPage)
    somehow_used(array_at(name, (void*)top, 1), zoo_self);
  pthread_mutex_unlock(&naming);
  sweep(array, 0, kPages, kUpdate, 4);
}

int main(void) {
  run_workers(kWorkers, work);
  return zoo_told();
}
