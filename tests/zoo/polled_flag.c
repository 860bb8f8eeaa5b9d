/* One thread updates an array, and three others only poll a flag. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 20 };
HEAP(work_data)
GLOBAL(flag, 1);
static struct Array *array, *flags;

static void work(int me) {
  meet();
  if (me == 0) {
    sweep(array, 0, kPages, kUpdate, 10);
    use(flags, 0, 1, 1, kWrite, 1);
  } else {
    use(flags, 0, 1, 1, kRead, 1000);
  }
}

int main(void) {
  array = make_work_data(kPages);
  flags = array_at("flag", flag, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
