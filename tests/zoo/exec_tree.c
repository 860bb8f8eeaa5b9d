/* A process forks, and the child calls exec of the same program in another role. That role has
 * workers, and calls exec once more. */
#include "zoo.h"

enum { kWorkers = 3, kPages = 8 };
HEAP(outer)
HEAP(inner)
HEAP(last)
static struct Array* inner;

static void work(int me) {
  sweep(inner, (size_t)me * kPages, kPages, kUpdate, 4);
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "last") == 0) {
    sweep(make_last(kPages), 0, kPages, kWrite, 7);
    return zoo_told();
  }
  if (count > 1) {
    inner = make_inner(kWorkers * kPages);
    run_workers(kWorkers, work);
    if (zoo_told() != 0) return 1;
    return execl(words[0], words[0], "last", (char*)NULL);
  }
  sweep(make_outer(kPages), 0, kPages, kUpdate, 3);
  const pid_t child = fork_process();
  if (child == 0) return zoo_told() != 0 ? 1 : execl(words[0], words[0], "inner", (char*)NULL);
  waitpid(child, NULL, 0);
  return zoo_told();
}
