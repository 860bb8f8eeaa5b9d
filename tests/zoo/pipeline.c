/* A pipeline: each stage reads the previous stage's data, and writes data for the next stage. */
#include "zoo.h"

enum { kStages = 5, kPages = 6, kRounds = 5 };
HEAP(stage)
static struct Array* stage;

static void work(int me) {
  for (int round = 0; round < kRounds; ++round) {
    if (me > 0) sweep(stage, (size_t)(me - 1) * kPages, kPages, kRead, 1);
    meet();
    sweep(stage, (size_t)me * kPages, kPages, kWrite, 1);
    meet();
  }
}

int main(void) {
  stage = make_stage(kStages * kPages);
  run_workers(kStages, work);
  return zoo_told();
}
