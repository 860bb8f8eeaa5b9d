/* Does one operation N times between marks, on memory that exceeds the caches: follows a list
   (`chase`), gathers by an index list (`gather`), adds atomically (`atomics`), divides
   (`divide`), multiplies one value and adds to it (`recurrence`), sums products (`products`),
   or sums values (`sum`).
 */
#include <atoll/marks/marks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNodes = 1 << 18, kBytes = 64 };

struct node {
  struct node* next;
  char rest[kBytes - sizeof(struct node*)];
};

static unsigned state = 1;
static unsigned next_random(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

__attribute__((noinline)) struct node* chase(struct node* at, int n) {
  for (int i = 0; i < n; ++i) at = at->next;
  return at;
}

__attribute__((noinline)) long gather(struct node* nodes, const int* index, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += nodes[index[i]].rest[0];
  return sum;
}

__attribute__((noinline)) void add_atomically(long* counts, int n) {
  for (int i = 0; i < n; ++i) __atomic_fetch_add(&counts[i % 8], i, __ATOMIC_RELAXED);
}

__attribute__((noinline)) void divide(double* values, int n, double by) {
  for (int i = 0; i < n; ++i) values[i] = values[i] / by;
}

__attribute__((noinline)) double recurrence(const double* values, int n) {
  double y = 1;
  for (int i = 0; i < n; ++i) y = y * 0.75 + values[i];
  return y;
}

__attribute__((noinline)) double products(const double* values, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) all += values[i] * values[n - 1 - i];
  return all;
}

__attribute__((noinline)) double sum(const double* values, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) all += values[i];
  return all;
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const char* what = arguments[1];
  const int n = atoi(arguments[2]);
  struct node* nodes = malloc(sizeof(struct node) * kNodes);
  int* index = malloc(sizeof *index * n);
  double* values = malloc(sizeof *values * n);
  long counts[8] = {0};
  /* A cyclic list of all nodes in random order. */
  int* order = malloc(sizeof *order * kNodes);
  for (int i = 0; i < kNodes; ++i) order[i] = i;
  for (int i = kNodes - 1; i > 0; --i) {
    const int other = next_random() % (i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (int i = 0; i < kNodes; ++i) nodes[order[i]].next = &nodes[order[(i + 1) % kNodes]];
  for (int i = 0; i < n; ++i) index[i] = next_random() % kNodes, values[i] = i;
  double result = 0;
  atoll_mark_begin();
  if (strcmp(what, "chase") == 0)
    result = (double)(chase(nodes, n) - nodes);
  else if (strcmp(what, "gather") == 0)
    result = (double)gather(nodes, index, n);
  else if (strcmp(what, "atomics") == 0)
    add_atomically(counts, n);
  else if (strcmp(what, "divide") == 0)
    divide(values, n, 3);
  else if (strcmp(what, "recurrence") == 0)
    result = recurrence(values, n);
  else if (strcmp(what, "products") == 0)
    result = products(values, n);
  else
    result = sum(values, n);
  atoll_mark_end();
  for (int i = 0; i < 8; ++i) result += (double)counts[i];
  printf("%.17g\n", result);
  return 0;
}
