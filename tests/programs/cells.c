/* A task of each cell reads its neighbours' input and writes its own output. Four cells are in a line, so each line is
 * written by several tasks, and no word is. */
#include <stdio.h>
#include <stdlib.h>

#include "atoll/marks/marks.h"

enum { CELLS = 400 };
struct cell {
  double in, out;
};
struct cell* cells; /* not static: compilers have to suppose that a mark may change what it points to */

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
