/* Two processes alternately update one shared anonymous mapping. */
#include <sys/mman.h>

#include "zoo.h"

enum { kPages = 16, kRounds = 6 };

static void hand_over(const int* pipe) {
  if (write(pipe[1], "x", 1) != 1) abort();
}
static void wait_for(const int* pipe) {
  char byte;
  if (read(pipe[0], &byte, 1) != 1) abort();
}

int main(void) {
  void* memory =
      mmap(NULL, kPages * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct Array* common = shared_array_at("common", memory, kPages);
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 1;
  const pid_t child = fork_process();
  for (int round = 0; round < kRounds; ++round) {
    if (child == 0) wait_for(there);
    sweep(common, 0, kPages, kUpdate, 1);
    hand_over(child == 0 ? back : there);
    if (child != 0) wait_for(back);
  }
  if (child != 0) waitpid(child, NULL, 0);
  return zoo_told();
}
