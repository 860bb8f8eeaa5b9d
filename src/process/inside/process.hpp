// The interposers' state of the process: if anybody watches, and libc's own functions.
#pragma once

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "process/inside/stack.hpp"

namespace Atoll::process::inside {

#define ATOLL_INTERPOSE extern "C" __attribute__((visibility("default"), used))

/// What serves the program's allocations.
enum class Heap : std::uint32_t {
  fresh,     ///< not known yet, nor may the hooks be called
  starting,  ///< being found out
  own,       ///< ours
  next       ///< libc's, or the one that the program brings: allocations are seen as mappings
};
inline std::atomic<Heap> heap{Heap::fresh};
/// True if the hooks are to be called.
inline std::atomic<bool> watched{false};

/// True if small allocations are reported, too. It is set before the heap is ours.
inline bool small_wanted = true;

/// The functions that the interposers replace.
struct Next {
  decltype(&::malloc) malloc;
  decltype(&::free) free;
  decltype(&::calloc) calloc;
  decltype(&::realloc) realloc;
  decltype(&::memalign) memalign;
  decltype(&::malloc_usable_size) malloc_usable_size;
  decltype(&::pthread_create) pthread_create;
  decltype(&::thrd_create) thrd_create;
  decltype(&::pthread_join) pthread_join;
  decltype(&::pthread_tryjoin_np) pthread_tryjoin_np;
  decltype(&::pthread_timedjoin_np) pthread_timedjoin_np;
  decltype(&::pthread_clockjoin_np) pthread_clockjoin_np;
  decltype(&::thrd_join) thrd_join;
  decltype(&::pthread_detach) pthread_detach;
  decltype(&::thrd_detach) thrd_detach;
  decltype(&::pthread_setaffinity_np) pthread_setaffinity_np;
  decltype(&::sched_setaffinity) sched_setaffinity;
  decltype(&::pthread_setname_np) pthread_setname_np;
  pid_t (*fork)();  ///< _Fork
  decltype(&::execvpe) execvpe;
  decltype(&::execve) execve;
  decltype(&::fexecve) fexecve;
  decltype(&::posix_spawn) posix_spawn;
  decltype(&::posix_spawnp) posix_spawnp;
  void (*exit)(int);
  int (*dlclose)(void*);
};
/// It is filled in once the process has started.
extern Next next;

/// Finds out who watches, at the first call of any interposer after libc's own start.
Heap start_process();
inline Heap started() {
  const Heap now = heap.load(std::memory_order_acquire);
  return now == Heap::own || now == Heap::next ? now : start_process();
}

/// While one lives, this thread is inside the interposers.
class Inside {
 public:
  explicit Inside(ThreadPart& thread) : thread_(thread) {
    ++thread_.busy;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Inside() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --thread_.busy;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  ThreadPart& thread_;
};

/// True if this thread's events are reported.
inline bool tells(const ThreadPart& thread) {
  return watched.load(std::memory_order_acquire) && thread.busy == 0 && thread.quiet == 0;
}

[[nodiscard]] std::int32_t own_tid(ThreadPart& thread);
/// Returns the number by which hooks know a thread. Another thread may have it once this one was
/// joined, or has ended detached.
[[nodiscard]] inline std::uint64_t number_of(pthread_t thread) {
  return thread;
}
/// Begins this thread's part: finds its stack (thread_hooks.cpp).
void begin_thread(ThreadPart& thread);
void tell_stack(const ThreadPart& thread);
/// Makes sure that this thread's end is seen.
void watch_end_of_thread();
void start_threads();
void forget_threads();  ///< in a forked child
/// Reports what the memory behind the program's data grew by since the process started, or since
/// the last call (mappings.cpp).
void start_break();
void tell_break();
/// The process ends or execs. Does nothing in the child of a vfork.
void process_ends();
/// The exec failed.
void process_went_on();

}  // namespace Atoll::process::inside
