/* A process runs `true` ten times in sequence, then starts workers. */
#include <spawn.h>

#include "zoo.h"

enum { kWorkers = 4, kPages = 16 };
extern char** environ;
HEAP(late)
static struct Array* late;

static void work(int me) {
  sweep(late, (size_t)me * kPages, kPages, kUpdate, 12);
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    char* words[] = {(char*)"true", NULL};
    pid_t child;
    if (posix_spawnp(&child, "true", NULL, NULL, words, environ) != 0) return 1;
    waitpid(child, NULL, 0);
  }
  late = make_late(kWorkers * kPages);
  sweep(late, 0, kWorkers * kPages, kWrite, 1);
  run_workers(kWorkers, work);
  return zoo_told();
}
