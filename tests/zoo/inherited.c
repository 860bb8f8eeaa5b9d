/* A process writes a table, and three children read it, so the pages remain the parent's. */
#include "zoo.h"

enum { kPages = 20, kChildren = 3 };
HEAP(legacy)

int main(void) {
  struct Array* legacy = make_legacy(kPages);
  sweep(legacy, 0, kPages, kWrite, 1);
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = fork_process();
    if (child == 0) {
      sweep(legacy, 0, kPages, kRead, 4);
      return zoo_told();
    }
    waitpid(child, NULL, 0);
  }
  return zoo_told();
}
