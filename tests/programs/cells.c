/* Each task reads the inputs of a cell's neighbours and writes the cell's output. A cache line has four cells, so
 * several tasks write to each line, but only one to each word. */
#include <stdio.h>
#include <stdlib.h>

#include "atoll/marks/marks.h"

enum { CELLS = 400 };
struct cell {
  double in, out;
};
struct cell* cells; /* not static: compilers must assume that a mark may change the cells */

int main(void) {
  cells = aligned_alloc(64, CELLS * sizeof *cells);
  for (int i = 0; i < CELLS; ++i) cells[i] = (struct cell){i, 0};
  for (int i = 1; i + 1 < CELLS; ++i) {
    atoll_mark_task_begin("cells", (uint64_t)i);
    cells[i].out = cells[i - 1].in + cells[i + 1].in;
    atoll_mark_task_end();
  }
  double sum = 0;
  for (int i = 0; i < CELLS; ++i) sum += cells[i].out * i;
  printf("%g\n", sum);
  free(cells);
  return 0;
}
