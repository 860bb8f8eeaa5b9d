// Makes the kernel map, move and discard pages in every way that Linux has, and prints their nodes by move_pages(),
// as runs: "LABEL: STATUSxPAGES …". Linux 6.1 returns -14 for an unmapped page and for the shared zero page. The
// output must be the same in a guest and under `atoll simulate` with a description of that guest. Nodes 0 and 1 have
// processors, the others only memory.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif
enum { kPage = 4096, kHuge = 2 << 20, kAlignment = 4 * kHuge, kPreferredMany = 5 };

static void die(const char* what) {
  perror(what);
  exit(1);
}
static void policy(int mode, unsigned long nodes) {
  if (syscall(SYS_set_mempolicy, mode, nodes ? &nodes : NULL, nodes ? 65 : 0) != 0) die("set_mempolicy");
}
static void bind_range(void* at, size_t bytes, int mode, unsigned long nodes, unsigned flags) {
  if (syscall(SYS_mbind, at, bytes, mode, nodes ? &nodes : NULL, nodes ? 65 : 0, flags) != 0) die("mbind");
}
static char* map(size_t bytes, int flags) {
  char* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (at == MAP_FAILED) die("mmap");
  return at;
}
// Aligned to four huge pages, because interleaving counts pages by their address.
static char* aligned(size_t bytes) {
  char* at = map(bytes + kAlignment, 0);
  char* begin = (char*)(((unsigned long)at + kAlignment - 1) / kAlignment * kAlignment);
  if (begin != at) munmap(at, begin - at);
  munmap(begin + bytes, at + kAlignment - begin);
  return begin;
}
static char* small(size_t pages) {
  char* at = aligned((pages * kPage + kHuge - 1) / kHuge * kHuge);
  if (madvise(at, pages * kPage, MADV_NOHUGEPAGE) != 0) die("madvise");
  return at;
}
static char* large(size_t count) {
  char* at = aligned(count * kHuge);
  if (madvise(at, count * kHuge, MADV_HUGEPAGE) != 0) die("madvise");
  return at;
}
static void print(const char* label, char* at, size_t pages) {
  void** all = malloc(pages * sizeof *all);
  int* status = malloc(pages * sizeof *status);
  for (size_t i = 0; i < pages; ++i) all[i] = at + i * kPage;
  if (syscall(SYS_move_pages, 0, pages, all, NULL, status, 0) != 0) die("move_pages");
  printf("%s:", label);
  for (size_t i = 0, run; i < pages; i += run) {
    for (run = 1; i + run < pages && status[i + run] == status[i];) ++run;
    printf(" %dx%zu", status[i], run);
  }
  printf("\n");
  fflush(stdout);
  free(all);
  free(status);
}
static void writes(char* at, size_t pages) {
  for (size_t i = 0; i < pages; ++i) ((volatile char*)at)[i * kPage] = 1;
}
static int sink;
static void reads(char* at, size_t pages) {
  for (size_t i = 0; i < pages; ++i) sink += ((volatile char*)at)[i * kPage];
}
// Binds the calling thread to the first processor of the node.
static void stand_on(int node) {
  char path[64];
  snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
  FILE* file = fopen(path, "r");
  int first = -1;
  if (file == NULL || fscanf(file, "%d", &first) != 1) die(path);
  fclose(file);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(first, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) die("sched_setaffinity");
}

struct touch {
  char* at;
  size_t pages;
  int node;  // to which the thread is bound; -1: not bound
  int by_policy;
};
static void* run(void* argument) {
  const struct touch* touch = argument;
  if (touch->node >= 0) stand_on(touch->node);
  if (touch->by_policy) policy(MPOL_BIND, 4);
  writes(touch->at, touch->pages);
  return NULL;
}
static void in_thread(char* at, size_t pages, int node, int by_policy) {
  struct touch touch = {at, pages, node, by_policy};
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, &touch) != 0) die("pthread_create");
  pthread_join(thread, NULL);
}

static void policies(void) {
  static const struct {
    const char* name;
    int mode;
    unsigned long nodes;
  } kAll[] = {{"default", MPOL_DEFAULT, 0},     {"bind 1", MPOL_BIND, 2},
              {"bind 2,3", MPOL_BIND, 12},      {"bind 0-3", MPOL_BIND, 15},
              {"preferred 3", MPOL_PREFERRED, 8}, {"preferred many 1,3", kPreferredMany, 10},
              {"interleave 0-3", MPOL_INTERLEAVE, 15}, {"interleave 1,3", MPOL_INTERLEAVE, 10},
              {"local", MPOL_LOCAL, 0}};
  for (int node = 0; node < 2; ++node) {
    stand_on(node);
    for (size_t i = 0; i < sizeof kAll / sizeof *kAll; ++i) {
      char label[128];
      snprintf(label, sizeof label, "from %d, thread %s", node, kAll[i].name);
      policy(kAll[i].mode, kAll[i].nodes);
      char *at = small(9), *huge = large(3);
      writes(at, 9);
      writes(huge, 3 * 512);
      policy(MPOL_DEFAULT, 0);
      print(label, at, 9);
      print(label, huge, 3 * 512);
      snprintf(label, sizeof label, "from %d, range %s", node, kAll[i].name);
      char *range = small(9), *large_range = large(3);
      bind_range(range, 9 * kPage, kAll[i].mode, kAll[i].nodes, 0);
      bind_range(large_range, 3 * kHuge, kAll[i].mode, kAll[i].nodes, 0);
      writes(range, 9);
      writes(large_range, 3 * 512);
      print(label, range, 9);
      print(label, large_range, 3 * 512);
    }
  }
  stand_on(0);
  char* at = small(12);
  policy(MPOL_BIND, 2);
  bind_range(at + 4 * kPage, 4 * kPage, MPOL_BIND, 8, 0);
  writes(at, 12);
  policy(MPOL_DEFAULT, 0);
  print("a range's policy wins over the thread's", at, 12);
  bind_range(at, 12 * kPage, MPOL_INTERLEAVE, 15, 0);
  print("mbind leaves pages where they are", at, 12);
  bind_range(at, 12 * kPage, MPOL_BIND, 5, MPOL_MF_MOVE);
  print("mbind moves those that are elsewhere", at, 12);
  bind_range(at, 12 * kPage, MPOL_INTERLEAVE, 10, MPOL_MF_MOVE);
  print("mbind moves them by turns", at, 12);
}

static void populate(void) {
  stand_on(0);
  policy(MPOL_BIND, 2);
  char* mapped = map(8 * kPage, MAP_POPULATE);
  char *by_write = small(8), *by_read = small(8), *locked = small(8), *filled = small(8), *huge = large(2);
  char* huge_by_read = large(2);
  if (madvise(by_write, 8 * kPage, MADV_POPULATE_WRITE) != 0) die("populate");
  if (madvise(by_read, 8 * kPage, MADV_POPULATE_READ) != 0) die("populate");
  if (madvise(huge, 2 * kHuge, MADV_POPULATE_WRITE) != 0) die("populate");
  if (madvise(huge_by_read, 2 * kHuge, MADV_POPULATE_READ) != 0) die("populate");
  if (mlock(locked, 8 * kPage) != 0) die("mlock");
  const int zero = open("/dev/zero", O_RDONLY);
  if (zero < 0 || read(zero, filled, 5 * kPage - 100) != 5 * kPage - 100) die("read");
  close(zero);
  policy(MPOL_DEFAULT, 0);
  print("MAP_POPULATE", mapped, 8);
  print("MADV_POPULATE_WRITE", by_write, 8);
  print("MADV_POPULATE_READ", by_read, 8);
  print("MADV_POPULATE_WRITE huge", huge, 1024);
  print("MADV_POPULATE_READ huge", huge_by_read, 1024);
  print("mlock", locked, 8);
  print("read", filled, 8);
  in_thread(by_read, 4, 1, 0);
  print("MADV_POPULATE_READ, then half is written", by_read, 8);
  if (madvise(by_write + 2 * kPage, 3 * kPage, MADV_DONTNEED) != 0) die("MADV_DONTNEED");
  print("MADV_DONTNEED", by_write, 8);
  in_thread(by_write, 8, 0, 0);
  print("MADV_DONTNEED, then written", by_write, 8);
  if (madvise(huge + 5 * kPage, 3 * kPage, MADV_DONTNEED) != 0) die("MADV_DONTNEED");
  print("MADV_DONTNEED in a huge page", huge, 1024);
  in_thread(huge, 512, 0, 0);
  print("MADV_DONTNEED in a huge page, then written", huge, 1024);
}

static void zeros(void) {
  stand_on(1);
  char *at = small(8), *huge = large(2);
  reads(at, 6);
  reads(huge, 512 + 3);
  print("read first", at, 8);
  print("read first, huge", huge, 1024);
  in_thread(at + 2 * kPage, 2, 0, 0);
  in_thread(huge + 10 * kPage, 2, 0, 0);
  print("read first, then two are written", at, 8);
  print("read first, then two are written, huge", huge, 1024);
}

static void moves(void) {
  stand_on(0);
  char* at = small(10);
  writes(at, 7);
  void* pages[5];
  int nodes[5] = {1, 2, 1, 3, 1}, status[5];
  for (int i = 0; i < 5; ++i) pages[i] = at + i * 2 * kPage;
  if (syscall(SYS_move_pages, 0, 5, pages, nodes, status, MPOL_MF_MOVE) < 0) die("move_pages");
  printf("move_pages says: %d %d %d %d %d\n", status[0], status[1], status[2], status[3], status[4]);
  print("move_pages", at, 10);
  char* gone = at;
  munmap(at, 10 * kPage);
  at = mmap(gone, 10 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (at != gone) die("mmap");
  madvise(at, 10 * kPage, MADV_NOHUGEPAGE);
  print("mapped anew", at, 10);
  writes(at, 10);
  print("mapped anew and written", at, 10);
  char* grows = small(6);
  policy(MPOL_BIND, 8);
  writes(grows, 6);
  policy(MPOL_DEFAULT, 0);
  char* to = map(64 * kPage, 0);
  char* grown = mremap(grows, 6 * kPage, 12 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  if (grown != to) die("mremap");
  writes(grown, 12);
  print("mremap", grown, 12);
}

static void inherits(const char* program) {
  stand_on(1);
  char *by_thread = small(4), *by_other = small(4), *by_own = small(4);
  policy(MPOL_PREFERRED, 8);
  in_thread(by_thread, 4, -1, 0);
  in_thread(by_own, 4, -1, 1);
  policy(MPOL_DEFAULT, 0);
  in_thread(by_other, 4, -1, 0);
  print("a thread has its creator's policy", by_thread, 4);
  print("and its own, which ends with it", by_own, 4);
  print("a thread stands where its creator may", by_other, 4);
  policy(MPOL_INTERLEAVE, 12);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    char* at = small(4);
    writes(at, 4);
    print("a child has its parent's policy", at, 4);
    execl("/proc/self/exe", program, "executed", (char*)NULL);
    die("exec");
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) die("the child");
  stand_on(0);
  policy(MPOL_BIND, 2);
  execl("/proc/self/exe", program, "executed", (char*)NULL);
  die("exec");
}

static void executed(void) {
  int mode = -1;
  unsigned long nodes = 0;
  if (syscall(SYS_get_mempolicy, &mode, &nodes, 65, NULL, 0) != 0) die("get_mempolicy");
  printf("executed: policy %d of %lx\n", mode, nodes);
  char* at = small(4);
  writes(at, 4);
  print("executed by thread policy", at, 4);
  policy(MPOL_DEFAULT, 0);
  char* own = small(4);
  writes(own, 4);
  print("executed, where the thread may stand", own, 4);
}

int main(int argc, char** argv) {
  if (argc > 1) {
    executed();
    return 0;
  }
  policies();
  populate();
  zeros();
  moves();
  inherits(argv[0]);
  return 1;
}
