/* A matrix: each worker writes some rows and then reads some columns, so all workers use all pages.
 */
#include "zoo.h"

enum { kWorkers = 4, kRows = 32 }; /* a row is one page */
HEAP(matrix)
static struct Array* matrix;

static void work(int me) {
  sweep(matrix, (size_t)me * kRows / kWorkers, kRows / kWorkers, kWrite, 1);
  meet();
  for (size_t column = (size_t)me * kPageWords / kWorkers;
       column < (size_t)(me + 1) * kPageWords / kWorkers; ++column)
    use(matrix, column, kRows, kPageWords, kRead, 1);
}

int main(void) {
  matrix = make_matrix(kRows);
  run_workers(kWorkers, work);
  return zoo_told();
}
