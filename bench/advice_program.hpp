// The program of the suite `advice`: twenty patterns of array use by threads, selected by
// arguments. It prints a sum that is independent of placement.
#pragma once

#include <array>

namespace Atoll::bench {

/// One pattern, for 8 and for 32 threads.
struct AdvicePattern {
  const char* name;
  const char* kind;  ///< name in the program's arguments
  int mib;           ///< size of the array
  int rounds;        ///< number of rounds, or of gathers per thread
  bool main_fills;   ///< if false, each thread initializes its part
};

/// Arrays that are shared, partitioned or skewed, with and without reuse in last-level caches of 18
/// MiB (xeon-x7550) and 6 MiB (opteron-8x8).
inline constexpr std::array kAdvicePatterns{
    AdvicePattern{"partitioned, no reuse", "parts", 80, 2, true},
    AdvicePattern{"partitioned, reuse", "parts", 6, 12, true},
    AdvicePattern{"partitioned, well placed", "parts", 80, 2, false},
    AdvicePattern{"shared gather, no reuse", "gather", 80, 20000, true},
    AdvicePattern{"shared gather, reuse", "gather", 3, 30000, true},
    AdvicePattern{"shared stream, reuse", "table", 2, 6, true},
    AdvicePattern{"skewed gather", "skewed", 80, 20000, true},
    AdvicePattern{"skewed parts", "wedge", 48, 2, true},
    AdvicePattern{"field and table", "both", 32, 2, true},
    AdvicePattern{"blocks of each thread", "blocks", 64, 2, false},
};

inline constexpr const char* kAdviceProgram = R"C(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* kind;
static long threads, words, rounds, by_main;
static double *field, *table;
static double sums[64 * 8];
static pthread_barrier_t all_are_here;

static double* make_field(void) { return malloc(8 * words); }
static double* make_table(void) { return malloc(8 * words / 4); }
static double* make_block(long size) { return malloc(8 * size); }

static long begin_of(long me) {
  if (strcmp(kind, "wedge") != 0) return words / threads * me;
  return words / threads * me / threads * me;  // the last thread has most
}

static double update(double* part, long size) {
  double sum = 0;
  for (long i = 0; i < size; i += 8) sum += part[i] += 1;
  return sum;
}

static double pick(const double* from, long size, long count, unsigned seed, int skewed) {
  double sum = 0;
  for (long i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    long at = (long)((unsigned long)(seed >> 4) * size >> 28);
    if (skewed && (seed >> 2 & 3) != 0) at /= 8;  // three of four into the first eighth
    sum += from[at];
  }
  return sum;
}

static void* work(void* number) {
  const long me = (long)number, begin = begin_of(me), size = begin_of(me + 1) - begin;
  double* own = field + begin;
  double sum = 0;
  if (strcmp(kind, "blocks") == 0) own = make_block(size);
  if (!by_main) for (long i = 0; i < size; i += 8) own[i] = 1;
  pthread_barrier_wait(&all_are_here);
  if (strcmp(kind, "gather") == 0 || strcmp(kind, "skewed") == 0) {
    sum = pick(field, words, rounds, 7 * me + 1, kind[0] == 's');
  } else {
    for (long round = 0; round < rounds; ++round) {
      if (strcmp(kind, "table") == 0)
        for (long i = 0; i < words; i += 8) sum += field[i];
      else
        sum += update(own, size);
      if (table != NULL) for (long i = 0; i < words / 4; i += 8) sum += table[i];
      pthread_barrier_wait(&all_are_here);
    }
  }
  sums[8 * me] = sum;
  return NULL;
}

int main(int count, char** words_of) {
  (void)count;
  pthread_t others[64];
  kind = words_of[1];
  threads = atol(words_of[2]);
  words = atol(words_of[3]) << 17;
  rounds = atol(words_of[4]);
  by_main = atol(words_of[5]);
  if (strcmp(kind, "blocks") != 0) field = make_field();
  if (strcmp(kind, "both") == 0) table = make_table();
  if (by_main) for (long i = 0; i < words; i += 8) field[i] = 1;
  if (table != NULL) for (long i = 0; i < words / 4; i += 8) table[i] = 1;
  pthread_barrier_init(&all_are_here, NULL, threads);
  for (long i = 1; i < threads; ++i) pthread_create(&others[i], NULL, work, (void*)i);
  work(NULL);
  for (long i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  double sum = 0;
  for (long i = 0; i < threads; ++i) sum += sums[8 * i];
  printf("%.0f\n", sum);
  return 0;
}
)C";

}  // namespace Atoll::bench
