/* A row of cells, updated from one array into the other and back. Each worker has a block of pages,
 * and reads the last page of the previous block and the first page of the next block. */
#include "zoo.h"

enum { kWorkers = 4, kPages = 12, kRounds = 4 };
HEAP(even)
HEAP(odd)
static struct Array* cells[2];

static void work(int me) {
  const size_t from = (size_t)me * kPages;
  sweep(cells[0], from, kPages, kWrite, 1);
  for (int round = 0; round < kRounds; ++round) {
    struct Array *now = cells[round % 2], *next = cells[(round + 1) % 2];
    meet();
    if (me > 0) sweep(now, from - 1, 1, kRead, 1);
    sweep(now, from, kPages, kRead, 3);
    if (me + 1 < kWorkers) sweep(now, from + kPages, 1, kRead, 1);
    sweep(next, from, kPages, kWrite, 1);
  }
}

int main(void) {
  cells[0] = make_even(kWorkers * kPages);
  cells[1] = make_odd(kWorkers * kPages);
  run_workers(kWorkers, work);
  return zoo_told();
}
