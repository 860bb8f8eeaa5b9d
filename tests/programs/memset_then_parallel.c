/* The program of the Shoal paper's §2: one thread initializes an array (memset), then threads process equal
 * parts of it. Prints the processing units of its threads and the node of each page. Each worker asks the system
 * for its own node and for the nodes of its part's pages.
 *
 *   memset_then_parallel THREADS PAGES [bind|mapped|populated|FILE [private]]
 *
 * bind: the first worker binds itself to the unit on which main ran. mapped: there is a second array, which the
 * program maps. populated: the same, with all pages mapped immediately. FILE: the same, as a shared or private
 * mapping of this file, which the program creates. */
#define _GNU_SOURCE
#include <pthread.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kPage = 4096, kMaxThreads = 64, kRounds = 16, kTablePages = 16 };

char table[kTablePages * kPage] __attribute__((aligned(4096)));

static uint64_t *array, *mapped;
static size_t part; /* in elements */
static int bind_to = -1;

struct Worker {
  pthread_t thread;
  int number, unit, node, units_seen;
  size_t local; /* number of local pages in its part */
  uint64_t sum;
};
static struct Worker workers[kMaxThreads];

static int units_seen(void) {
  cpu_set_t units;
  return sched_getaffinity(0, sizeof units, &units) == 0 ? CPU_COUNT(&units) : -1;
}

static int node_of(void* page) {
  int node = -1;
  return syscall(SYS_get_mempolicy, &node, NULL, 0, page, 3 /* MPOL_F_NODE | MPOL_F_ADDR */) == 0 ? node : -1;
}

static void* work(void* argument) {
  struct Worker* self = argument;
  if (bind_to >= 0 && self->number == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(bind_to, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  }
  uint64_t* mine = array + (size_t)self->number * part;
  uint64_t* other = mapped == NULL ? NULL : mapped + (size_t)self->number * part;
  uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < part; ++i) sum += mine[i] += 1;
    for (size_t i = 0; i < part && other != NULL; ++i) other[i] += 1;
    sum += (uint64_t)table[round];
  }
  self->sum = sum;
  unsigned unit = 0, node = 0;
  syscall(SYS_getcpu, &unit, &node, NULL);
  self->unit = (int)unit;
  self->node = (int)node;
  self->units_seen = units_seen();
  for (size_t at = 0; at < part; at += kPage / sizeof *mine) self->local += node_of(mine + at) == self->node;
  return NULL;
}

__attribute__((noinline)) static uint64_t* make_array(size_t bytes) {
  return malloc(bytes); /* the array */
}

__attribute__((noinline)) static uint64_t* map_array(size_t bytes, int flags, int file) {
  void* address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0); /* the mapped array */
  return address == MAP_FAILED ? NULL : address;
}

__attribute__((noinline)) static void start_worker(struct Worker* worker) {
  if (pthread_create(&worker->thread, NULL, work, worker) != 0) exit(3); /* a worker */
}

/* Prints the nodes of pages as runs. "NAME 0x12 1x12": twelve pages on node 0, then twelve on node 1. */
static void print_nodes(const char* name, void* data, size_t bytes) {
  int last = -2;
  size_t count = 0;
  printf("%s", name);
  for (size_t at = 0; at < bytes; at += kPage) {
    const int node = node_of((char*)data + at);
    if (node != last && count != 0) {
      printf(" %dx%zu", last, count);
      count = 0;
    }
    last = node;
    ++count;
  }
  printf(" %dx%zu\n", last, count);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int threads = atoi(argv[1]);
  const size_t pages = strtoul(argv[2], NULL, 10);
  if (threads < 1 || threads > kMaxThreads || pages < (size_t)threads) return 2;
  const char* more = argc > 3 ? argv[3] : "";
  if (strcmp(more, "bind") == 0) bind_to = sched_getcpu();
  part = pages * kPage / sizeof *array / (size_t)threads;

  array = make_array(pages * kPage);
  memset(array, 0, pages * kPage);
  if (*more != '\0' && bind_to < 0) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS, file = -1;
    if (strcmp(more, "populated") == 0) {
      flags |= MAP_POPULATE;
    } else if (strcmp(more, "mapped") != 0) {
      flags = argc > 4 ? MAP_PRIVATE : MAP_SHARED;
      file = open(more, O_RDWR | O_CREAT | O_TRUNC, 0600);
      if (file < 0 || ftruncate(file, (off_t)(pages * kPage)) != 0) return 4;
    }
    mapped = map_array(pages * kPage, flags, file);
    if (mapped == NULL) return 4;
    memset(mapped, 0, pages * kPage);
  }
  memset(table, 0, sizeof table);
  for (int i = 0; i < threads; ++i) {
    workers[i].number = i;
    start_worker(&workers[i]);
  }
  uint64_t sum = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(workers[i].thread, NULL);
    sum += workers[i].sum;
  }
  printf("sum %llu\nmain unit %d sees %d\n", (unsigned long long)sum, sched_getcpu(), units_seen());
  for (int i = 0; i < threads; ++i)
    printf("worker %d unit %d node %d sees %d local %zu of %zu\n", i, workers[i].unit, workers[i].node,
           workers[i].units_seen, workers[i].local, part * sizeof *array / kPage);
  print_nodes("array", array, pages * kPage);
  print_nodes("table", table, sizeof table);
  if (mapped != NULL) print_nodes("mapped", mapped, pages * kPage);
  return 0;
}
