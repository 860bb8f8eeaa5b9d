/* Workers in a grid of two rows and three columns. Each worker has one tile, and reads the borders
 * of the adjacent tiles. */
#include "zoo.h"

enum { kRows = 2, kColumns = 3, kPages = 8, kRounds = 5 };
HEAP(tiles)
static struct Array* tiles;

static void work(int me) {
  const int row = me / kColumns, column = me % kColumns;
  for (int round = 0; round < kRounds; ++round) {
    sweep(tiles, (size_t)me * kPages, kPages, kUpdate, 2);
    meet();
    if (column + 1 < kColumns) sweep(tiles, (size_t)(me + 1) * kPages, 2, kRead, 1);
    if (row + 1 < kRows) sweep(tiles, (size_t)(me + kColumns) * kPages + 2, 3, kRead, 1);
    meet();
  }
}

int main(void) {
  tiles = make_tiles(kRows * kColumns * kPages);
  run_workers(kRows * kColumns, work);
  return zoo_told();
}
