/* Memory that another worker allocates again after it was freed is another object. */
#include "zoo.h"

enum { kWorkers = 3, kPages = 17, kRounds = 3 };
HEAP(again)

static void work(int me) {
  struct Array* array = NULL;
  for (int round = 0; round < kRounds; ++round) {
    for (int turn = 0; turn < kWorkers; ++turn, meet()) {
      if (turn != me) continue;
      array = make_again(kPages);
      sweep(array, 0, kPages, kUpdate, 1 + round);
      free((void*)array->words);
    }
  }
}

int main(void) {
  run_workers(kWorkers, work);
  return zoo_told();
}
