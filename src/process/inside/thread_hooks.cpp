// Reports the program's threads: creator, call site, stack, name, binding and end.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <climits>

#include "marks/preloaded.hpp"
#include "process/inside/process.hpp"

#include "atoll/base/page_size.hpp"

namespace Atoll::process::inside {
namespace {

/// Data that a creator passes to a new thread. While the thread is alive, this is also its entry in
/// the list of threads.
struct ThreadEntry {
  ThreadEntry* following;
  pthread_t thread;
  std::int32_t tid;
  NewThread about;
  bool detached;  ///< created as a detached thread
  bool bound;     ///< by its attributes: to the processing unit `pu`, or to several (-1)
  int pu;
  void* (*routine)(void*);
  int (*c_routine)(void*);
  void* argument;
};

Lock starts_lock;
ThreadEntry* spare = nullptr;
ThreadEntry* entries = nullptr;
pthread_key_t end_key;
bool end_key_made = false;

ThreadEntry* new_entry() {
  {
    const Locked locked(starts_lock);
    if (spare != nullptr) {
      ThreadEntry* taken = spare;
      spare = taken->following;
      return taken;
    }
  }
  return allocate_permanent<ThreadEntry>();
}

void recycle(ThreadEntry* start) {
  const Locked locked(starts_lock);
  start->following = spare;
  spare = start;
}

/// Removes the thread's entry from the list.
void remove_entry(pthread_t thread) {
  ThreadEntry* gone = nullptr;
  {
    const Locked locked(starts_lock);
    for (ThreadEntry** at = &entries; *at != nullptr; at = &(*at)->following) {
      if (::pthread_equal((*at)->thread, thread) == 0) continue;
      gone = *at;
      *at = gone->following;
      break;
    }
  }
  if (gone != nullptr) recycle(gone);
}

std::int32_t tid_of(pthread_t thread) {
  if (::pthread_equal(thread, ::pthread_self()) != 0) return own_tid(this_thread_part);
  const Locked locked(starts_lock);
  for (const ThreadEntry* row = entries; row != nullptr; row = row->following)
    if (::pthread_equal(row->thread, thread) != 0) return row->tid;
  return 0;
}

/// Destructor of thread-specific data. It acts in the last round, after the program's destructors.
void thread_ends(void* rounds) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds);
  if (left > 1) {
    ::pthread_setspecific(end_key, reinterpret_cast<void*>(left - 1));
    return;
  }
  ThreadPart& thread = this_thread_part;
  {
    const Inside inside(thread);
    remove_entry(::pthread_self());
    recycle_cache(thread);
    if (watched.load(std::memory_order_acquire)) hooks::on_thread_ended();
  }
  thread.is_ending = 1;  // later allocations by libc have no site
}

/// Determines the bounds of the first thread's stack: the end from /proc/self/maps, the size from
/// the stack limit.
void find_first_stack(ThreadPart& thread) {
  char text[4096];
  std::size_t kept = 0;
  const auto file =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC));
  if (file < 0) return;
  std::uintptr_t end = 0;
  for (;;) {  // lines of the form "begin-end … [stack]"
    const long n = ::syscall(SYS_read, file, text + kept, sizeof text - kept - 1);
    if (n <= 0) break;
    text[kept + static_cast<std::size_t>(n)] = '\0';
    char* line = text;
    for (char* stop = ::strchr(line, '\n'); stop != nullptr; stop = ::strchr(line, '\n')) {
      *stop = '\0';
      if (::strstr(line, "[stack]") != nullptr) {
        const char* dash = ::strchr(line, '-');
        if (dash != nullptr) end = ::strtoul(dash + 1, nullptr, 16);
      }
      line = stop + 1;
    }
    kept = ::strlen(line);
    if (kept >= sizeof text - 1) kept = 0;
    ::memmove(text, line, kept);
  }
  ::syscall(SYS_close, file);
  if (end == 0) return;
  struct rlimit limit = {};
  std::uintptr_t bytes = std::uintptr_t{8} << 20;
  if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < end)
    bytes = limit.rlim_cur / kPageBytes * kPageBytes;
  thread.stack_begin = end - bytes;
  thread.stack_end = end;
}

void find_stack(ThreadPart& thread) {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* address = nullptr;
  std::size_t bytes = 0;
  if (::pthread_attr_getstack(&attributes, &address, &bytes) == 0) {
    thread.stack_begin = reinterpret_cast<std::uintptr_t>(address);
    thread.stack_end = thread.stack_begin + bytes;
  }
  ::pthread_attr_destroy(&attributes);
}

void begin(ThreadEntry* start) {
  ThreadPart& thread = this_thread_part;
  const Inside inside(thread);
  start->thread = ::pthread_self();
  start->tid = own_tid(thread);
  {
    const Locked locked(starts_lock);
    start->following = entries;
    entries = start;
  }
  start->about.number = number_of(start->thread);
  hooks::on_thread_started(start->about);
  if (start->detached) hooks::on_detached(start->about.number);
  if (start->bound) hooks::on_affinity(start->tid, start->pu);
  begin_thread(thread);
}

void* run(void* argument) {
  auto* start = static_cast<ThreadEntry*>(argument);
  begin(start);
  if (atoll_thread_runs != nullptr) atoll_thread_runs(start->routine);
  return start->routine(start->argument);
}

int run_c(void* argument) {
  auto* start = static_cast<ThreadEntry*>(argument);
  begin(start);
  return start->c_routine(start->argument);
}

/// Returns null if the thread isn't reported.
ThreadEntry* prepare(const Call& call) {
  (void)started();
  ThreadPart& thread = this_thread_part;
  if (!reports_events(thread)) return nullptr;
  const KeepErrno keep;
  const Inside inside(thread);
  ThreadEntry* start = new_entry();
  if (start == nullptr) return nullptr;
  report_program_break();
  HeapSite& site = site_of(thread, call);
  start->about = {&site, own_tid(thread), hooks::on_creating_thread(site), 0};
  start->detached = start->bound = false;
  return start;
}

void not_created(ThreadEntry* start) {
  const KeepErrno keep;
  const Inside inside(this_thread_part);
  hooks::on_thread_not_created(start->about.note);
  recycle(start);
}

/// Returns the only processing unit of a set; -1 if the set has several.
int only_unit(const cpu_set_t* pus, std::size_t bytes) {
  int only = -1;
  const auto* bits = reinterpret_cast<const unsigned char*>(pus);
  for (std::size_t i = 0; i != bytes * 8; ++i) {
    if ((bits[i / 8] >> (i % 8) & 1) == 0) continue;
    if (only >= 0) return -1;
    only = static_cast<int>(i);
  }
  return only;
}

void report_affinity(std::int32_t tid, const cpu_set_t* pus, std::size_t bytes) {
  ThreadPart& thread = this_thread_part;
  if (!reports_events(thread)) return;
  const KeepErrno keep;
  const Inside inside(thread);
  hooks::on_affinity(tid, only_unit(pus, bytes));
}

/// Reads the binding from a thread's attributes, which OpenMP's run-time libraries use.
void find_binding(const pthread_attr_t* attributes, ThreadEntry& start) {
  cpu_set_t units, all;
  ::memset(&all, 0xff, sizeof all);  // libc returns this set if the attributes bind nothing
  start.bound = attributes != nullptr &&
                ::pthread_attr_getaffinity_np(attributes, sizeof units, &units) == 0 &&
                ::memcmp(&units, &all, sizeof all) != 0;
  if (start.bound) start.pu = only_unit(&units, sizeof units);
}

}  // namespace

void report_stack(const ThreadPart& thread) {
  if (thread.stack_end != 0)
    hooks::on_stack(reinterpret_cast<void*>(thread.stack_begin),
                    thread.stack_end - thread.stack_begin);
}

void begin_thread(ThreadPart& thread) {
  const bool first = own_tid(thread) == ::getpid();
  if (first)
    find_first_stack(thread);
  else
    find_stack(thread);
  report_stack(thread);
  if (end_key_made)
    ::pthread_setspecific(end_key,
                          reinterpret_cast<void*>(std::uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
}

void start_threads() {
  end_key_made = ::pthread_key_create(&end_key, thread_ends) == 0;
}

void forget_threads() {
  entries = nullptr;
}

}  // namespace Atoll::process::inside

using namespace Atoll::process::inside;

ATOLL_INTERPOSE int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*routine)(void*), void* argument) {
  const InTurn turn;
  ThreadEntry* start = prepare(ATOLL_CALL);
  if (start == nullptr) return next.pthread_create(thread, attributes, routine, argument);
  start->routine = routine;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) ::pthread_attr_getdetachstate(attributes, &state);
  start->detached = state == PTHREAD_CREATE_DETACHED;
  find_binding(attributes, *start);
  start->argument = argument;
  const int error = next.pthread_create(thread, attributes, run, start);
  if (error != 0) not_created(start);
  return error;
}

ATOLL_INTERPOSE int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  const InTurn turn;
  ThreadEntry* start = prepare(ATOLL_CALL);
  if (start == nullptr) return next.thrd_create(thread, routine, argument);
  start->c_routine = routine;
  start->argument = argument;
  const int error = next.thrd_create(thread, run_c, start);
  if (error != thrd_success) not_created(start);
  return error;
}

ATOLL_INTERPOSE int pthread_setaffinity_np(pthread_t thread, std::size_t bytes,
                                           const cpu_set_t* pus) {
  (void)started();
  const int error = next.pthread_setaffinity_np(thread, bytes, pus);
  if (error == 0) report_affinity(tid_of(thread), pus, bytes);
  return error;
}

ATOLL_INTERPOSE int sched_setaffinity(pid_t tid, std::size_t bytes, const cpu_set_t* pus) {
  (void)started();
  const int result = next.sched_setaffinity(tid, bytes, pus);
  if (result == 0) report_affinity(tid == 0 ? own_tid(this_thread_part) : tid, pus, bytes);
  return result;
}

ATOLL_INTERPOSE int pthread_setname_np(pthread_t thread, const char* name) {
  (void)started();
  const int error = next.pthread_setname_np(thread, name);
  ThreadPart& part = this_thread_part;
  if (error != 0 || !reports_events(part)) return error;
  const KeepErrno keep;
  const std::int32_t tid = tid_of(thread);
  const Inside inside(part);
  if (tid != 0) hooks::on_name(tid, name);
  return error;
}
