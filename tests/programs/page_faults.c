/* Runs a command, and writes each page fault of its processes and threads to file descriptor 3, in order of time:
 * "TID ADDRESS\n". The kernel samples the faults. The result is the reference for first touches, and is independent
 * of Atoll.
 *
 *   page_faults COMMAND... 3>FILE      exit code 77: the system doesn't permit sampling of page faults */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPage = 4096, kPages = 512, kMaxUnits = 256 };

struct Fault {
  struct perf_event_header header;
  uint32_t pid, tid;
  uint64_t time, address;
};

static int by_time(const void* a, const void* b) {
  const struct Fault *x = a, *y = b;
  return x->time < y->time ? -1 : x->time > y->time;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int go[2];
  if (pipe(go) != 0) return 2;
  const pid_t child = fork();
  if (child == 0) {
    char released;
    close(3);
    if (read(go[0], &released, 1) == 1) execvp(argv[1], argv + 1);
    _exit(127);
  }
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_PAGE_FAULTS;
  attr.sample_period = 1;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
  attr.inherit = attr.disabled = attr.enable_on_exec = 1;
  const int units = (int)sysconf(_SC_NPROCESSORS_CONF);
  struct perf_event_mmap_page* rings[kMaxUnits];
  for (int unit = 0; unit < units && unit < kMaxUnits; ++unit) {
    const int event = (int)syscall(SYS_perf_event_open, &attr, child, unit, -1, PERF_FLAG_FD_CLOEXEC);
    void* ring = event < 0 ? MAP_FAILED : mmap(NULL, (1 + kPages) * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    if (ring == MAP_FAILED) return 77;
    rings[unit] = ring;
  }
  int status = 0;
  if (write(go[1], "", 1) != 1 || waitpid(child, &status, 0) != child) return 2;

  struct Fault* faults = malloc(kPages * kPage / sizeof *faults * (size_t)units * sizeof *faults);
  size_t count = 0;
  for (int unit = 0; unit < units && unit < kMaxUnits; ++unit) {
    const char* data = (const char*)rings[unit] + kPage;
    const uint64_t end = __atomic_load_n(&rings[unit]->data_head, __ATOMIC_ACQUIRE);
    for (uint64_t at = 0; at < end;) {
      struct Fault fault;
      for (size_t i = 0; i < sizeof fault; ++i) ((char*)&fault)[i] = data[(at + i) % (kPages * kPage)];
      if (fault.header.type == PERF_RECORD_LOST) return 3; /* the ring overflowed */
      if (fault.header.type == PERF_RECORD_SAMPLE) faults[count++] = fault;
      at += fault.header.size;
    }
  }
  qsort(faults, count, sizeof *faults, by_time);
  for (size_t i = 0; i < count; ++i) dprintf(3, "%u %lu\n", faults[i].tid, (unsigned long)faults[i].address);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
