// Maps the region that the environment names, and adds this process to it.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.hpp"
#include "record/inside.hpp"

namespace Atoll::record {

Header* shared_region = nullptr;

namespace {

ProcessRecord* process = nullptr;
std::uint32_t* process_mark = nullptr;
std::atomic_flag attaching;
std::atomic<bool> attached_or_not{false};
__attribute__((tls_model("initial-exec"))) thread_local std::uint64_t forking_ns =
    0;  // 0: no fork in progress
__attribute__((tls_model("initial-exec"))) thread_local std::uint64_t forking_after = 0;

Header* map(const char* path) {
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat about = {};
  void* mapped = MAP_FAILED;
  if (::fstat(file, &about) == 0 && about.st_size >= static_cast<off_t>(sizeof(Header)))
    mapped = ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return nullptr;
  auto* found = static_cast<Header*>(mapped);
  if (found->magic == kMagic) {
    ::madvise(mapped, static_cast<std::size_t>(about.st_size), MADV_DONTDUMP);  // it has gigabytes
    return found;
  }
  ::munmap(mapped, static_cast<std::size_t>(about.st_size));
  return nullptr;
}

/// Returns the latest ProcessRecord with this pid, for the program before an exec(), or with the
/// parent's pid; 0 if there is none.
Offset parent_process(int pid, int parent_pid) {
  for (Offset at = shared_region->processes; at != 0; at = at_offset<ProcessRecord>(at)->previous) {
    const auto* other = at_offset<ProcessRecord>(at);
    if (other->pid == pid || other->pid == parent_pid) return at;
  }
  return 0;
}

/// Sets a mark that the kernel clears in a forked child (MADV_WIPEONFORK), if the kernel supports
/// it.
void mark_process() {
  if (process_mark == nullptr) {
    void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (::madvise(page, 4096, MADV_WIPEONFORK) != 0) {
      ::munmap(page, 4096);
      return;
    }
    process_mark = static_cast<std::uint32_t*>(page);
  }
  *process_mark = 1;
}

void enter(Offset parent) {
  const Offset at = allocate_in_region(sizeof(ProcessRecord));
  if (at == 0) {
    process = nullptr;
    shared_region->lost_events.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  process = at_offset<ProcessRecord>(at);
  process->pid = ::getpid();
  process->parent_pid = ::getppid();
  process->parent = parent != 0 ? parent : parent_process(process->pid, process->parent_pid);
  process->created_ns = forking_ns;  // times of this thread in the parent
  process->started_ns = now_ns();
  process->forked_after = forking_after;
  forking_ns = forking_after = 0;
  push(shared_region->processes, at, process->previous);
}

// Recorded in the parent, as children may begin in another order than their forks.
void forks() {
  forking_ns = shared_region != nullptr ? now_ns() : 0;
  forking_after = shared_region != nullptr ? shared_region->sequence.load() + 1 : 0;
}
void has_forked() {
  forking_ns = forking_after = 0;
}

__attribute__((constructor)) void enter_children_too() {
  ::pthread_atfork(forks, has_forked, forked);
}

}  // namespace

bool attach(const char* path) {
  if (attached_or_not.load(std::memory_order_acquire)) return shared_region != nullptr;
  while (attaching.test_and_set(std::memory_order_acquire)) {
  }
  if (!attached_or_not.load(std::memory_order_relaxed)) {
    const int error = errno;
    if (path == nullptr) path = environment_variable(kVariable);
    if (path != nullptr) shared_region = map(path);
    errno = error;
    if (shared_region != nullptr) {
      mark_process();
      enter(0);
    }
    attached_or_not.store(true, std::memory_order_release);
  }
  attaching.clear(std::memory_order_release);
  return shared_region != nullptr;
}

bool attached() {
  return shared_region != nullptr;
}

ProcessRecord* this_process() {
  return process;
}

void detect_fork() {
  if (process_mark != nullptr && __builtin_expect(*process_mark == 0, 0)) forked();
}

void forked() {
  if (shared_region == nullptr || (process != nullptr && process->pid == ::getpid())) return;
  mark_process();
  attaching.clear();
  enter(process != nullptr ? offset_of(process) : 0);
  restart_threads_after_fork();
}

void exits(int code) {
  if (process != nullptr && process->pid == ::getpid())  // the child of a vfork shares this memory,
                                                         // and must not write it
    process->exit_code.store(kExits | (static_cast<std::uint32_t>(code) & 0xffU));
}

void end_process() {
  if (process != nullptr) process->ended_ns.store(now_ns(), std::memory_order_release);
}

void revert_end_process() {
  if (process != nullptr) process->ended_ns.store(0, std::memory_order_release);
}

}  // namespace Atoll::record
