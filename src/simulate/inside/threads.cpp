// Affinity and policy of each thread, indexed by thread ID. They are in the view, which all
// processes of the program share. As in Linux, a created or forked thread inherits its creator's
// state, and exec keeps the thread's state.
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "marks/preloaded.hpp"
#include "record/stream_words.hpp"
#include "record/waits.hpp"
#include "simulate/inside/shown.hpp"

namespace Atoll::simulate::inside {
namespace {

using record::RecordKind;
using record::WaitCall;

constexpr std::size_t kProbes = 256;

/// Cached ID and row of this thread. After fork, the child still has its parent's.
__attribute__((tls_model("initial-exec"))) thread_local constinit int known_tid = 0;
__attribute__((tls_model("initial-exec"))) thread_local constinit ThreadRow* known_row = nullptr;

struct Routine {
  void* (*run)(void*);
  int (*run_c)(void*);
  void* argument;
};
/// Data that a creator passes to a new thread.
struct Start {
  std::atomic<int> is_used;
  ThreadState state;
  Routine routine;
};
constexpr std::size_t kStarts = 256;
Start starts[kStarts];

constinit Next<decltype(&::pthread_create)> next_pthread_create{"pthread_create"};
constinit Next<decltype(&::thrd_create)> next_thrd_create{"thrd_create"};

int present_tid() {
  return static_cast<int>(::syscall(SYS_gettid));
}

void pause_shortly() {
  const timespec moment = {0, 100'000};
  ::syscall(SYS_nanosleep, &moment, nullptr);
}

/// Reads field number `field`, from 1, of a thread's `stat` file; 0 if there is no such thread.
std::uint64_t stat_of(const char* path, int field) {
  char text[1024];
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const long bytes = ::syscall(SYS_read, file, text, sizeof text - 1);
  ::syscall(SYS_close, file);
  if (bytes <= 0) return 0;
  text[bytes] = '\0';
  const char* at = ::strrchr(text, ')');  // after the name, the second field
  for (int i = 2; at != nullptr && i < field; ++i) at = ::strchr(at + 1, ' ');
  return at == nullptr ? 0 : ::strtoull(at + 1, nullptr, 10);
}

constexpr int kParent = 4, kBirth = 22;

/// Returns the start time of a thread; 0 if there is no such thread. (The emulator intercepts
/// /proc/PID/stat.)
std::uint64_t birth_of(int tid) {
  char path[64];
  ::snprintf(path, sizeof path, "/proc/%d/task/%d/stat", tid, tid);
  return stat_of(path, kBirth);
}

/// Returns the row of that thread ID; null if it has none.
ThreadRow* find(int tid) {
  ThreadRow* const rows = view()->rows;
  for (std::size_t i = 0; i < kProbes; ++i) {
    ThreadRow& row = rows[(static_cast<std::size_t>(tid) + i) % kThreads];
    const int found = row.tid.load(std::memory_order_acquire);
    if (found == 0) return nullptr;
    if (found == tid) return &row;
  }
  return nullptr;
}

/// As find(), but null if that thread has ended.
ThreadRow* find_living(int tid) {
  ThreadRow* const row = find(tid);
  return row != nullptr && row->birth == birth_of(tid) ? row : nullptr;
}

/// Returns a new row: a free one, or that of a thread that has ended.
ThreadRow* make(int tid) {
  ThreadRow* const rows = view()->rows;
  if (ThreadRow* const row = find(tid); row != nullptr) return row;
  for (std::size_t i = 0; i < kProbes; ++i) {
    ThreadRow& row = rows[(static_cast<std::size_t>(tid) + i) % kThreads];
    int found = row.tid.load();
    if (found != 0 && birth_of(found) != 0) continue;
    if (row.tid.compare_exchange_strong(found, tid)) return &row;
  }
  return nullptr;
}

ThreadState fresh_state() {
  ThreadState fresh = {};
  ::memcpy(fresh.affinity.words, view()->allowed, sizeof fresh.affinity.words);
  fresh.policy.mode = MPOL_DEFAULT;
  return fresh;
}

/// Creates this thread's row with that state.
ThreadRow* begin_row(int tid, const ThreadState& state) {
  ThreadRow* const row = make(tid);
  if (row != nullptr) {
    row->birth = birth_of(tid);
    row->process = static_cast<std::uint64_t>(::getpid());
    row->state = state;
    row->handle.store(::pthread_self(), std::memory_order_release);
  }
  known_tid = tid;
  known_row = row;
  return row;
}

/// Returns the row from which a thread inherits its state; null if there is none.
const ThreadRow* creator(int tid) {
  if (known_tid != 0) return known_row;  // the thread that forked this one
  if (tid != ::getpid()) return find_living(::getpid());
  // The process that started this one by vfork() or posix_spawn().
  const auto parent = static_cast<int>(stat_of("/proc/thread-self/stat", kParent));
  return parent > 1 ? find_living(parent) : nullptr;
}

Start* new_start() {
  if (view() == nullptr) return nullptr;
  for (;;) {
    for (Start& start : starts) {
      int free = 0;
      if (!start.is_used.compare_exchange_strong(free, 1)) continue;
      start.state = state_of(own_row());
      return &start;
    }
    pause_shortly();  // each is in use until its thread runs
  }
}

Routine begin_thread(void* argument) {
  auto* const start = static_cast<Start*>(argument);
  (void)begin_row(present_tid(), start->state);
  const Routine routine = start->routine;
  start->is_used.store(0, std::memory_order_release);
  return routine;
}

void* run(void* argument) {
  const Routine routine = begin_thread(argument);
  return routine.run(routine.argument);
}

int run_c(void* argument) {
  const Routine routine = begin_thread(argument);
  return routine.run_c(routine.argument);
}

std::size_t words_of(const std::uint64_t* words, std::size_t count) {
  while (count > 0 && words[count - 1] == 0) --count;
  return count;
}

/// Reports to the simulator that a thread is bound; 0 means this thread.
void record_binding(pthread_t thread, const Affinity& affinity) {
  if (atoll_tell_placement == nullptr) return;
  std::uint64_t words[1 + kMaxPus / 64] = {thread};
  ::memcpy(words + 1, affinity.words, sizeof affinity.words);
  atoll_tell_placement(static_cast<std::uint32_t>(RecordKind::bound), words,
                       1 + words_of(words + 1, kMaxPus / 64));
}

/// Sets `affinity` to the shown ones of `units`. Returns false if there is none.
bool restrict_to(Affinity& affinity, const cpu_set_t& units) {
  static_assert(sizeof units == sizeof affinity.words);
  ::memcpy(affinity.words, &units, sizeof units);
  for (std::size_t i = 0; i < kMaxPus / 64; ++i) affinity.words[i] &= view()->shown[i];
  return words_of(affinity.words, kMaxPus / 64) > 0;
}

}  // namespace

ThreadRow* own_row() {
  const int tid = present_tid();
  if (tid == known_tid) return known_row;
  // The row exists if this thread has executed another program before. The start time tells it from
  // a former thread with the same ID.
  if (ThreadRow* const row = find_living(tid); row != nullptr) {
    row->process = static_cast<std::uint64_t>(::getpid());
    row->handle.store(::pthread_self(), std::memory_order_release);
    known_tid = tid;
    return known_row = row;
  }
  const ThreadState state = state_of(creator(tid));
  return begin_row(tid, state);
}

ThreadRow* row_of(int tid) {
  return tid == 0 || tid == present_tid() ? own_row() : find_living(tid);
}

ThreadRow* row_of(pthread_t thread) {
  if (::pthread_equal(thread, ::pthread_self()) != 0) return own_row();
  const auto process = static_cast<std::uint64_t>(::getpid());
  for (int turn = 0; turn < 10'000; ++turn) {  // it may not have started yet
    for (ThreadRow& row : view()->rows)
      if (row.process == process && row.handle.load(std::memory_order_acquire) == thread &&
          birth_of(row.tid.load()) == row.birth)
        return &row;
    pause_shortly();
  }
  return nullptr;
}

const ThreadState& state_of(const ThreadRow* row) {
  static ThreadState fresh;
  if (row != nullptr) return row->state;
  fresh = fresh_state();
  return fresh;
}

const std::int16_t* ask(Question question, std::uint64_t address, std::uint64_t bytes) {
  ThreadRow* const row = own_row();
  if (row == nullptr || atoll_tell_placement == nullptr || atoll_tell_wait == nullptr)
    return nullptr;
  const auto number = static_cast<std::uint64_t>(row - view()->rows);
  const std::uint64_t words[] = {address, bytes,
                                 number | static_cast<std::uint64_t>(question) << 32};
  atoll_tell_placement(static_cast<std::uint32_t>(RecordKind::pages_asked), words, 3);
  record::WaitReport report{.call = WaitCall::requests_turn, .other = 1};
  atoll_tell_wait(&report);
  if (!report.answer) return nullptr;
  record::WaitReport over{.call = WaitCall::ends_turn};
  atoll_tell_wait(&over);
  return row->answers;
}

}  // namespace Atoll::simulate::inside

using namespace Atoll::simulate::inside;

/// Called by the recorder at the start of a process (fork or exec). Reports the inherited state of
/// its thread to the simulator.
ATOLL_INTERPOSE void atoll_process_begins() {
  if (view() == nullptr || atoll_tell_placement == nullptr) return;
  const ThreadState& state = state_of(own_row());
  if (state.policy.mode != MPOL_DEFAULT) {
    std::uint64_t words[1 + kMaxNodes / 64] = {state.policy.mode};
    ::memcpy(words + 1, state.policy.nodes, sizeof state.policy.nodes);
    atoll_tell_placement(static_cast<std::uint32_t>(RecordKind::policy_of_thread), words,
                         1 + words_of(words + 1, kMaxNodes / 64));
  }
  if (::memcmp(state.affinity.words, view()->allowed, sizeof state.affinity.words) != 0)
    record_binding(0, state.affinity);
}

ATOLL_INTERPOSE int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*routine)(void*), void* argument) {
  Start* const start = new_start();
  if (start == nullptr) return next_pthread_create(thread, attributes, routine, argument);
  start->routine = {.run = routine, .run_c = nullptr, .argument = argument};
  // This computer may lack the processing units that the attributes name.
  cpu_set_t units, all;
  ::memset(&all, 0xff, sizeof all);  // returned by libc if the attributes name none
  const bool binds = attributes != nullptr &&
                     ::pthread_attr_getaffinity_np(attributes, sizeof units, &units) == 0 &&
                     ::memcmp(&units, &all, sizeof all) != 0;
  auto* const changed = const_cast<pthread_attr_t*>(attributes);
  if (binds && !restrict_to(start->state.affinity, units)) {
    start->is_used.store(0, std::memory_order_release);
    return EINVAL;
  }
  if (binds) (void)::pthread_attr_setaffinity_np(changed, 0, &units);  // none
  const Affinity affinity = start->state.affinity;
  const int error = next_pthread_create(thread, attributes, run, start);
  if (error != 0) start->is_used.store(0, std::memory_order_release);
  if (!binds) return error;
  (void)::pthread_attr_setaffinity_np(changed, sizeof units, &units);
  if (error == 0) record_binding(*thread, affinity);
  return error;
}

ATOLL_INTERPOSE int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  Start* const start = new_start();
  if (start == nullptr) return next_thrd_create(thread, routine, argument);
  start->routine = {.run = nullptr, .run_c = routine, .argument = argument};
  const int error = next_thrd_create(thread, run_c, start);
  if (error != thrd_success) start->is_used.store(0, std::memory_order_release);
  return error;
}
