// Process-wide state of the interposers: whether the process is watched, and libc's own functions.
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

/// The allocator that serves the program.
enum class Heap : std::uint32_t {
  fresh,     ///< not determined yet; the hooks can't be called yet
  starting,  ///< being determined
  own,       ///< Atoll's heap
  next       ///< libc's heap or the program's own: only their mappings are seen
};
inline std::atomic<Heap> heap{Heap::fresh};
/// True if the hooks are called.
inline std::atomic<bool> watched{false};

/// True if small allocations are reported, too. Set before `heap` becomes Heap::own.
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
/// Filled in when the process starts.
extern Next next;

/// Determines whether the process is watched, at the first call of any interposer after libc's
/// initialization.
Heap start_process();
inline Heap started() {
  const Heap now = heap.load(std::memory_order_acquire);
  return now == Heap::own || now == Heap::next ? now : start_process();
}

/// Marks this thread as inside the interposers, from construction to destruction.
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
inline bool reports_events(const ThreadPart& thread) {
  return watched.load(std::memory_order_acquire) && thread.busy == 0 && thread.is_ending == 0;
}

[[nodiscard]] std::int32_t own_tid(ThreadPart& thread);
/// Returns the number by which hooks identify a thread. It may be reused once the thread has been
/// joined or, if detached, has ended.
[[nodiscard]] inline std::uint64_t number_of(pthread_t thread) {
  return thread;
}
/// Initializes this thread's part: determines its stack (thread_hooks.cpp).
void begin_thread(ThreadPart& thread);
void report_stack(const ThreadPart& thread);
/// Registers the destructor that reports this thread's end.
void start_threads();
void forget_threads();  ///< called in a forked child
/// Reports the growth of the program break since the process started or since the last call
/// (mappings.cpp).
void start_break();
void report_program_break();
/// Called before the process ends or executes another program. Does nothing in the child of a
/// vfork.
void process_ends();
/// Called if the exec failed.
void process_exec_failed();

}  // namespace Atoll::process::inside
