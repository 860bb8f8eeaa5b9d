/* A process forks two children, each of which forks one child. All of them write to their own copies
 * of the first process's array. They end in different ways. */
#include <signal.h>

#include "zoo.h"

enum { kPages = 12 };
HEAP(copied)
static struct Array* copied;

static void child(int me, int grandchild) {
  const pid_t pid = fork_process();
  if (pid != 0) {
    waitpid(pid, NULL, 0);
    return;
  }
  sweep(copied, (size_t)me, kPages - (size_t)me, kUpdate, 2 + me);
  if (!grandchild) child(me + 2, 1);
  if (zoo_told() != 0) _exit(1);
  if (me == 1) raise(SIGKILL);
  if (me == 2) _exit(3);
  exit(0);
}

int main(void) {
  copied = make_copied(kPages);
  sweep(copied, 0, kPages, kWrite, 2);
  child(1, 0);
  child(2, 0);
  sweep(copied, 0, kPages, kRead, 1);
  return zoo_told();
}
