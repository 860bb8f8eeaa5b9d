/* Forces between nearby particles: a task for each particle reads its neighbours' positions by a
 * list. Arguments: particles, steps. Particles are numbered randomly. */
#include <atoll/marks/marks.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct place {
  double at[3];
};

static uint64_t state = 1;
static double uniform(void) { /* in [0, 1): splitmix64 */
  uint64_t x = state += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static double squared_distance(const struct place* a, const struct place* b) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) sum += (a->at[axis] - b->at[axis]) * (a->at[axis] - b->at[axis]);
  return sum;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int count = atoi(argv[1]), steps = atoi(argv[2]);
  const double reach = cbrt(20 / (count * 4.18879)); /* some 20 neighbours each */
  const int cells = (int)(1 / reach);
  struct place* const places = malloc((size_t)count * sizeof *places);
  struct place* const forces = calloc((size_t)count, sizeof *forces);
  int* const first = malloc((size_t)cells * cells * cells * sizeof *first);
  int* const next = malloc((size_t)count * sizeof *next);
  int* const begin = malloc((size_t)(count + 1) * sizeof *begin);
  int* const near = malloc((size_t)count * 40 * sizeof *near);
  for (int cell = 0; cell < cells * cells * cells; ++cell) first[cell] = -1;
  for (int i = 0; i < count; ++i) {
    int cell = 0;
    for (int axis = 0; axis < 3; ++axis) {
      places[i].at[axis] = uniform();
      cell = cell * cells + (int)(places[i].at[axis] * cells);
    }
    next[i] = first[cell];
    first[cell] = i;
  }
  int all = 0;
  for (int i = 0; i < count; ++i) {
    int at[3];
    begin[i] = all;
    for (int axis = 0; axis < 3; ++axis) at[axis] = (int)(places[i].at[axis] * cells);
    for (int beside = 0; beside < 27; ++beside) {
      const int x = at[0] + beside / 9 - 1, y = at[1] + beside / 3 % 3 - 1, z = at[2] + beside % 3 - 1;
      if (x < 0 || y < 0 || z < 0 || x >= cells || y >= cells || z >= cells) continue;
      for (int j = first[(x * cells + y) * cells + z]; j >= 0; j = next[j])
        if (j != i && all < count * 40 && squared_distance(places + i, places + j) < reach * reach) near[all++] = j;
    }
  }
  begin[count] = all;
  const struct atoll_loop loop = {"forces", (uint64_t)count, 1, 0};
  const clock_t start = clock();
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel
    {
      const struct atoll_tasks mine =
          atoll_my_tasks(&loop, (uint32_t)omp_get_thread_num(), (uint32_t)omp_get_num_threads());
      for (uint64_t k = 0; k < mine.count; ++k) {
        const uint64_t i = atoll_task_at(&mine, k);
        atoll_mark_task_begin(loop.name, i);
        struct place force = {{0, 0, 0}};
        for (int n = begin[i]; n < begin[i + 1]; ++n) {
          const struct place* const other = places + near[n];
          const double weight = 1 / (squared_distance(places + i, other) + 1e-4);
          for (int axis = 0; axis < 3; ++axis) force.at[axis] += (places[i].at[axis] - other->at[axis]) * weight;
        }
        for (int axis = 0; axis < 3; ++axis) forces[i].at[axis] += force.at[axis];
        atoll_mark_task_end();
      }
    }
  }
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += fabs(forces[i].at[0]) + fabs(forces[i].at[1]) + fabs(forces[i].at[2]);
  printf("%.9f ms an iteration\nchecksum %.12g\n", 1e3 * seconds / steps, sum);
  return 0;
}
