/* Heat in a square plate: each sweep replaces a cell by the mean of its four neighbours. One thread
   fills the plates, so Linux puts all their pages on its node. With -DPARALLEL_INIT, each thread
   fills the rows that it computes later, so their pages are on its own node.

   atollgcc -O2 -g -fopenmp stencil.c -o stencil
   ./stencil [SWEEPS] */
#include <atoll/trace/marks.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 2900 };
typedef double Plate[SIDE][SIDE];

static Plate* allocate_plates(void) {
  Plate* plates = malloc(2 * sizeof(Plate));
  if (!plates) {
    fputs("stencil: no memory for two plates\n", stderr);
    exit(1);
  }
  return plates;
}

static void fill(Plate plate) {
#ifdef PARALLEL_INIT
#pragma omp parallel for schedule(static)
#endif
  for (int y = 0; y < SIDE; ++y)
    for (int x = 0; x < SIDE; ++x) plate[y][x] = y == 0 ? 100 : 0; /* the upper edge is hot */
}

static void sweep(Plate to, Plate from) {
#pragma omp parallel for schedule(static)
  for (int y = 1; y < SIDE - 1; ++y)
    for (int x = 1; x < SIDE - 1; ++x)
      to[y][x] = 0.25 * (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]);
}

int main(int argc, char** argv) {
  const int sweeps = argc > 1 ? atoi(argv[1]) : 100;
  Plate* plates = allocate_plates();
  fill(plates[0]);
  fill(plates[1]);
  atoll_mark_begin(); /* `atoll profile --between-marks` records from here */
  for (int i = 0; i < sweeps; ++i) sweep(plates[(i + 1) % 2], plates[i % 2]);
  atoll_mark_end();
  printf("temperature next to the hot edge after %d sweeps: %.3f\n", sweeps, plates[sweeps % 2][1][SIDE / 2]);
  free(plates);
}
