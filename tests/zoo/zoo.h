/* Common code of the zoo's programs: named arrays, numbered workers, and functions that perform a
 * known number of accesses. Each process writes a JSON file into the folder $ZOO_TRUTH: its arrays,
 * its threads in the order of their creation, and its calls of sweep() and use(). tests/e2e/zoo.py
 * computes the expected counts from these files. The code is independent of Atoll.
 *
 *   ZOO_TIMES=N  repeats each use N times, for sampling
 *   ZOO_PAGES=N  multiplies the pages of heap arrays by N, for arrays that exceed the caches
 *   ZOO_NODES=1  records the node of each thread at each use, and of each page at the end */
#ifndef ZOO_H
#define ZOO_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kPage = 4096, kPageWords = kPage / 8, kMaxArrays = 64, kMaxWorkers = 128 };
enum How { /* access to each word */
           kRead,
           kWrite,
           kUpdate, /* read and written */
           kAdd,    /* read and written atomically */
           kSomehow /* unknown number of accesses */
};

struct Array {
  char name[32];
  volatile uint64_t* words;
  size_t pages, scale; /* sweep() uses `scale` pages for each requested one */
  int owner;           /* pid of the process that created it; children inherit it */
  int shared;          /* if set, arrays of this name are one memory in all processes */
};
struct Use {
  long begin, end; /* ns */
  size_t first, words, stride;
  int array, how, times, node;
};
struct Worker {
  pthread_t thread;
  struct Use* uses;
  long created, joined; /* ns */
  int count, room, tid;
  int index; /* within one run_workers() call */
  void (*work)(int);
} __attribute__((aligned(128)));

static struct Array zoo_arrays[kMaxArrays];
static struct Worker zoo_workers[kMaxWorkers];
static int zoo_array_count, zoo_created, zoo_times = 1, zoo_nodes;
static size_t zoo_pages = 1;
static pthread_barrier_t zoo_barrier;
static __thread struct Worker* zoo_self;

__attribute__((unused)) static struct Array* array_at(const char* name, volatile void* at,
                                                      size_t pages) {
  struct Array* array = &zoo_arrays[zoo_array_count++];
  if (zoo_array_count > kMaxArrays || at == NULL || (uintptr_t)at % kPage != 0) abort();
  snprintf(array->name, sizeof array->name, "%s", name);
  array->words = (volatile uint64_t*)at;
  array->pages = pages;
  array->owner = (int)getpid();
  array->scale = 1;
  return array;
}

__attribute__((unused)) static struct Array* shared_array_at(const char* name, volatile void* at,
                                                             size_t pages) {
  struct Array* array = array_at(name, at, pages);
  array->shared = 1;
  return array;
}

/* Defines make_NAME(pages), which allocates an array on the heap. */
#define HEAP(NAME)                                                                       \
  __attribute__((noinline)) static struct Array* make_##NAME(size_t pages) {             \
    const size_t scaled = pages * zoo_pages;                                             \
    struct Array* array = array_at(#NAME, aligned_alloc(kPage, scaled * kPage), scaled); \
    array->scale = zoo_pages;                                                            \
    return array;                                                                        \
  }
#define GLOBAL(NAME, PAGES) \
  volatile uint64_t NAME[(PAGES)*kPageWords] __attribute__((aligned(4096)))

/* Returns the number of pages that the level 2 cache holds. */
__attribute__((unused)) static size_t cache_pages(void) {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? (size_t)bytes / kPage : 256;
}

static void zoo_enter(struct Worker* self) {
  zoo_self = self;
  self->tid = (int)syscall(SYS_gettid);
}

__attribute__((constructor)) static void zoo_begin(void) {
  if (getenv("ZOO_TIMES") != NULL) zoo_times = atoi(getenv("ZOO_TIMES"));
  if (getenv("ZOO_PAGES") != NULL) zoo_pages = (size_t)atoi(getenv("ZOO_PAGES"));
  zoo_nodes = getenv("ZOO_NODES") != NULL;
  zoo_enter(&zoo_workers[zoo_created++]);
}

static long zoo_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* The loops that perform the accesses, one for each kind. */
__attribute__((noinline)) static void zoo_read(volatile uint64_t* at, size_t words, size_t stride) {
  for (size_t i = 0; i < words; ++i) (void)at[i * stride];
}
__attribute__((noinline)) static void zoo_write(volatile uint64_t* at, size_t words,
                                                size_t stride) {
  for (size_t i = 0; i < words; ++i) at[i * stride] = i;
}
__attribute__((noinline)) static void zoo_update(volatile uint64_t* at, size_t words,
                                                 size_t stride) {
  for (size_t i = 0; i < words; ++i) at[i * stride] = at[i * stride] + 1;
}
__attribute__((noinline)) static void zoo_add(volatile uint64_t* at, size_t words, size_t stride) {
  for (size_t i = 0; i < words; ++i) __atomic_fetch_add(&at[i * stride], 1, __ATOMIC_SEQ_CST);
}

static struct Use* zoo_tell(struct Worker* worker, struct Array* array) {
  if (worker->count == worker->room) {
    worker->room = worker->room == 0 ? 64 : 2 * worker->room;
    worker->uses = (struct Use*)realloc(worker->uses, (size_t)worker->room * sizeof *worker->uses);
    if (worker->uses == NULL) abort();
  }
  struct Use* told = &worker->uses[worker->count++];
  memset(told, 0, sizeof *told);
  told->array = (int)(array - zoo_arrays);
  return told;
}

/* Records that the worker used the whole array before any other thread, with unknown accesses. The
 * worker must not record its own uses at the same time. */
__attribute__((unused)) static void somehow_used(struct Array* array, struct Worker* worker) {
  struct Use* told = zoo_tell(worker, array);
  told->words = array->pages * kPageWords;
  told->stride = 1;
  told->how = kSomehow;
}

/* Accesses `words` words from `first` on, at distances of `stride` words, `times` times. */
static void use(struct Array* array, size_t first, size_t words, size_t stride, enum How how,
                int times) {
  static void (*const kinds[])(volatile uint64_t*, size_t, size_t) = {zoo_read, zoo_write,
                                                                      zoo_update, zoo_add};
  struct Use* told = zoo_tell(zoo_self, array);
  unsigned unit = 0, node = 0;
  if (zoo_nodes) syscall(SYS_getcpu, &unit, &node, NULL);
  told->first = first;
  told->words = words;
  told->stride = stride;
  told->how = how;
  told->times = times * zoo_times;
  told->node = (int)node;
  told->begin = zoo_now();
  for (int i = 0; i < told->times; ++i) kinds[how](array->words + first, words, stride);
  told->end = zoo_now();
}

/* Accesses each word of these pages. */
__attribute__((unused)) static void sweep(struct Array* array, size_t page, size_t pages,
                                          enum How how, int times) {
  const size_t words = array->scale * kPageWords;
  use(array, page * words, pages * words, 1, how, times);
}

static void* zoo_start(void* worker) {
  struct Worker* self = (struct Worker*)worker;
  zoo_enter(self);
  self->work(self->index);
  return NULL;
}

static struct Worker* zoo_new_worker(int index, void (*work)(int)) {
  struct Worker* worker = &zoo_workers[zoo_created++];
  if (zoo_created > kMaxWorkers) abort();
  worker->index = index;
  worker->work = work;
  worker->created = zoo_now();
  return worker;
}

__attribute__((unused)) static struct Worker* start_worker(int index, void (*work)(int)) {
  struct Worker* worker = zoo_new_worker(index, work);
  if (pthread_create(&worker->thread, NULL, zoo_start, worker) != 0) abort();
  return worker;
}

__attribute__((unused)) static void join_worker(struct Worker* worker) {
  pthread_join(worker->thread, NULL);
  worker->joined = zoo_now();
}

/* Runs work(0) to work(n - 1) in one thread each, and joins all threads. */
__attribute__((unused)) static void run_workers(int n, void (*work)(int)) {
  struct Worker* first = &zoo_workers[zoo_created];
  pthread_barrier_init(&zoo_barrier, NULL, (unsigned)n);
  for (int i = 0; i < n; ++i) start_worker(i, work);
  for (int i = 0; i < n; ++i) join_worker(&first[i]);
}
/* A barrier of all workers of run_workers(). */
__attribute__((unused)) static void meet(void) {
  pthread_barrier_wait(&zoo_barrier);
}

/* Calls fork(). The child records only its own uses, and drops those of its parent. */
__attribute__((unused)) static pid_t fork_process(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  struct Worker* self = zoo_self;
  for (struct Worker* worker = zoo_workers; worker < zoo_workers + zoo_created; ++worker)
    if (worker != self) worker->tid = worker->count = 0;
  self->count = 0;
  zoo_enter(self);
  return 0;
}

static int zoo_node_of(volatile void* page) {
  int node = -1;
  void* address = (void*)page;
  if (!zoo_nodes || syscall(SYS_move_pages, 0, 1, &address, NULL, &node, 0) != 0) return -1;
  return node;
}

/* Writes this process's JSON file. Returns the exit code for main. */
static int zoo_told(void) {
  static int times_told;
  const char* folder = getenv("ZOO_TRUTH");
  if (folder == NULL) return 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.%ld.%d.json", folder, (int)getpid(), zoo_now(), times_told++);
  FILE* out = fopen(path, "w");
  if (out == NULL) return 1;
  fprintf(out, "{\"pid\": %d, \"cache\": %zu,\n\"arrays\": [", (int)getpid(),
          cache_pages() * kPage);
  for (int i = 0; i < zoo_array_count; ++i) {
    struct Array* array = &zoo_arrays[i];
    fprintf(out,
            "%s\n{\"name\": \"%s\", \"address\": %zu, \"pages\": %zu, \"owner\": %d, "
            "\"shared\": %d, \"nodes\": [",
            i == 0 ? "" : ",", array->name, (size_t)array->words, array->pages, array->owner,
            array->shared);
    for (size_t page = 0; page < array->pages && zoo_nodes; ++page)
      fprintf(out, "%s%d", page == 0 ? "" : ", ", zoo_node_of(array->words + page * kPageWords));
    fprintf(out, "]}");
  }
  fprintf(out, "],\n\"workers\": [");
  const char* comma = "";
  for (struct Worker* worker = zoo_workers; worker < zoo_workers + zoo_created; ++worker) {
    if (worker->tid == 0) continue; /* a worker of the parent */
    fprintf(out, "%s\n{\"tid\": %d, \"created\": %ld, \"joined\": %ld, \"uses\": [", comma,
            worker->tid, worker->created, worker->joined);
    comma = ",";
    for (int i = 0; i < worker->count; ++i) {
      const struct Use* told = &worker->uses[i];
      fprintf(out, "%s\n [%d, %zu, %zu, %zu, %d, %d, %ld, %ld, %d]", i == 0 ? "" : ",", told->array,
              told->first, told->words, told->stride, told->how, told->times, told->begin,
              told->end, told->node);
    }
    fprintf(out, "]}");
  }
  fprintf(out, "]}\n");
  return fclose(out) == 0 ? 0 : 1;
}

#endif
