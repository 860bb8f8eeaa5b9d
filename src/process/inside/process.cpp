// Start, forks and end of a watched process.
#include "process/inside/process.hpp"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>

#include "process/inside/environment.hpp"
#include "process/inside/modules.hpp"

extern "C" void* __libc_malloc(std::size_t) __attribute__((weak));  // NOLINT: the name is libc's

namespace Atoll::process::inside {

Next next{};

namespace {

std::int32_t own_pid = 0;

template <typename F>
void find(F& function, const char* name) {
  function = reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

void find_next() {
  find(next.malloc, "malloc");
  find(next.free, "free");
  find(next.calloc, "calloc");
  find(next.realloc, "realloc");
  find(next.memalign, "memalign");
  find(next.malloc_usable_size, "malloc_usable_size");
  find(next.pthread_create, "pthread_create");
  find(next.thrd_create, "thrd_create");
  find(next.pthread_join, "pthread_join");
  find(next.pthread_tryjoin_np, "pthread_tryjoin_np");
  find(next.pthread_timedjoin_np, "pthread_timedjoin_np");
  find(next.pthread_clockjoin_np, "pthread_clockjoin_np");
  find(next.thrd_join, "thrd_join");
  find(next.pthread_detach, "pthread_detach");
  find(next.thrd_detach, "thrd_detach");
  find(next.pthread_setaffinity_np, "pthread_setaffinity_np");
  find(next.sched_setaffinity, "sched_setaffinity");
  find(next.pthread_setname_np, "pthread_setname_np");
  find(next.fork, "_Fork");
  find(next.execvpe, "execvpe");
  find(next.execve, "execve");
  find(next.fexecve, "fexecve");
  find(next.posix_spawn, "posix_spawn");
  find(next.posix_spawnp, "posix_spawnp");
  find(next.exit, "_exit");
  find(next.dlclose, "dlclose");
}

/// Returns true if the next malloc is libc's or that of another libatoll library, which passes
/// calls on unless its allocations are watched. So a plan can be applied to an instrumented
/// program.
bool next_is_libc() {
  if (next.malloc == nullptr || next.malloc == &__libc_malloc) return true;
  Dl_info about;
  return ::dladdr(reinterpret_cast<void*>(next.malloc), &about) != 0 &&
         about.dli_fname != nullptr && ::strstr(about.dli_fname, "/libatoll-") != nullptr;
}

void in_child() {
  generation.fetch_add(1, std::memory_order_relaxed);  // releases locks held by other threads
  own_pid = ::getpid();
  ThreadPart& thread = this_thread_part;
  thread.tid = 0;
  if (!watched.load(std::memory_order_relaxed)) return;
  const Inside inside(thread);
  forget_all_small();
  forget_threads();
  hooks::forked();
  report_stack(thread);
}

void exits(int code) {
  if (watched.load(std::memory_order_acquire) && ::getpid() == own_pid) hooks::exits(code);
}

// Constructors run in the order in which they were linked, so the fork handler is registered, and
// called, after the recorder's.
__attribute__((constructor)) void at_start() {
  ::pthread_atfork(nullptr, nullptr, in_child);
  // libc's exit() doesn't call the interposed _exit.
  ::on_exit([](int code, void*) { exits(code); }, nullptr);
  (void)started();
}

__attribute__((destructor)) void at_end() {
  process_ends();
}

}  // namespace

Heap start_process() {
  if (environ == nullptr) return Heap::fresh;  // libc isn't initialized yet
  Heap expected = Heap::fresh;
  if (!heap.compare_exchange_strong(expected, Heap::starting)) return expected;
  ThreadPart& thread = this_thread_part;
  Heap found = Heap::next;
  {
    const Inside inside(thread);
    own_pid = ::getpid();
    find_next();
    save_environment();
    if (hooks::start()) {
      const hooks::Wanted wanted = hooks::wanted_allocations();
      small_wanted = wanted == hooks::Wanted::all;
      if (wanted != hooks::Wanted::nothing && next_is_libc()) found = Heap::own;
      start_threads();
      begin_thread(thread);
      note_modules();
      start_break();
      watched.store(true, std::memory_order_release);
    }
    heap.store(found, std::memory_order_release);
  }
  return found;
}

void process_ends() {
  if (!watched.load(std::memory_order_acquire) || ::getpid() != own_pid) return;
  const KeepErrno keep;
  ThreadPart& thread = this_thread_part;
  // A signal handler ends the process while this thread may hold a lock.
  const bool interrupted = thread.busy != 0;
  const Inside inside(thread);
  if (!interrupted) {
    note_modules();
    report_program_break();
    report_all_small();
  }
  hooks::ending();
}

void process_exec_failed() {
  if (!watched.load(std::memory_order_acquire) || ::getpid() != own_pid) return;
  const KeepErrno keep;
  const Inside inside(this_thread_part);
  hooks::exec_failed();
}

std::int32_t own_tid(ThreadPart& thread) {
  if (thread.tid == 0) thread.tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
  return thread.tid;
}

}  // namespace Atoll::process::inside

using namespace Atoll::process::inside;

/// Interposed because it doesn't call the handlers of pthread_atfork. libc's fork() doesn't call
/// this function.
ATOLL_INTERPOSE pid_t _Fork() noexcept {
  (void)started();
  const pid_t child = next.fork();
  if (child == 0) in_child();
  return child;
}

ATOLL_INTERPOSE void _exit(int status) {
  (void)started();
  process_ends();
  exits(status);
  for (;;) next.exit(status);
}

ATOLL_INTERPOSE void _Exit(int status) {
  _exit(status);
}
