/* Two processes that called exec map the same file: one writes all of it, then the other reads it. */
#include <fcntl.h>
#include <sys/mman.h>

#include "zoo.h"

enum { kPages = 16 };

static struct Array* mapped(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, kPages * kPage) != 0) abort();
  return shared_array_at(
      "file", mmap(NULL, kPages * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), kPages);
}

int main(int count, char** words) {
  char path[64];
  if (count > 1) {
    sweep(mapped(words[1]), 0, kPages, kRead, 3);
    return zoo_told();
  }
  snprintf(path, sizeof path, "/tmp/zoo.%d", (int)getpid());
  sweep(mapped(path), 0, kPages, kWrite, 2);
  const pid_t child = fork_process();
  if (child == 0) return zoo_told() != 0 ? 1 : execl(words[0], words[0], path, (char*)NULL);
  waitpid(child, NULL, 0);
  unlink(path);
  return zoo_told();
}
