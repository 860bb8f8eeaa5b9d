/* System V memory: two children of a process update one half each, then the parent reads all. */
#include <sys/ipc.h>
#include <sys/shm.h>

#include "zoo.h"

enum { kPages = 16 };

int main(void) {
  const int id = shmget(IPC_PRIVATE, kPages * kPage, IPC_CREAT | 0600);
  if (id < 0) return 1;
  struct Array* segment = shared_array_at("segment", shmat(id, NULL, 0), kPages);
  shmctl(id, IPC_RMID, NULL);
  for (size_t half = 0; half < 2; ++half) {
    const pid_t child = fork_process();
    if (child == 0) {
      sweep(segment, half * kPages / 2, kPages / 2, kUpdate, 5);
      return zoo_told();
    }
    waitpid(child, NULL, 0);
  }
  sweep(segment, 0, kPages, kRead, 1);
  return zoo_told();
}
