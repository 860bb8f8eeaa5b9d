// States of threads: 68 KiB each, reused after the end of their thread.
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/inside.hpp"
#include "record/misses.hpp"
#include "record/timed.hpp"

namespace Atoll::record {

// g++ requires the TLS model at the definition, too.
__attribute__((tls_model("initial-exec"))) constinit thread_local ThreadState* atoll_thread_state =
    nullptr;

namespace {

// Record of a thread that continues after its end, to run destructors of thread-local variables.
__attribute__((tls_model("initial-exec"))) thread_local ThreadRecord* ended_record = nullptr;

std::atomic<ThreadState*> free_states{nullptr};
std::atomic_flag free_states_taken;

class FreeStates {
 public:
  FreeStates() {
    while (free_states_taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~FreeStates() { free_states_taken.clear(std::memory_order_release); }
  FreeStates(const FreeStates&) = delete;
  FreeStates& operator=(const FreeStates&) = delete;
};

/// Replaces the inherited state in a forked child by a private one whose counts are discarded.
void count_nowhere(ThreadState* thread) {
  header()->lost_events.fetch_add(1, std::memory_order_relaxed);
  void* block = ::mmap(nullptr, sizeof(PageCounters), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED || ::mmap(thread, sizeof(ThreadState), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    ::_exit(127);
  clear_slots(thread);
  thread->ignored = static_cast<PageCounters*>(block);
  atoll_thread_state = nullptr;
}

ThreadState* private_state() {
  void* memory = ::mmap(nullptr, sizeof(ThreadState) + sizeof(PageCounters), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(127);  // neither counting nor an error message is possible
  auto* thread = static_cast<ThreadState*>(memory);
  thread->ignored = reinterpret_cast<PageCounters*>(thread + 1);
  return thread;
}

ThreadState* free_state() {
  const FreeStates locked;
  ThreadState* thread = free_states.load(std::memory_order_relaxed);
  if (thread != nullptr) free_states.store(thread->next_free, std::memory_order_relaxed);
  return thread;
}

void clear(ThreadState* thread) {
  clear_slots(thread);
  thread->record = nullptr;
  thread->table = nullptr;
  thread->table_entries = thread->table_used = 0;
  thread->walk_count = thread->clock = 0;
  thread->look_epoch = thread->looks = thread->invalidations = 0;
  forget_styles(thread);
  thread->scratch = thread->ignored = thread->dropped = nullptr;
  thread->next_free = nullptr;
  thread->stretch = {.pages = thread->stretch.pages, .pages_room = thread->stretch.pages_room};
  thread->task = {.stamp = thread->task.stamp,
                  .next = thread->task.log,
                  .end = thread->task.end,
                  .log = thread->task.log};
}

/// Allocates the thread's record, and its blocks for ignored and dropped accesses. Returns false if
/// memory is short.
bool enter(ThreadState* thread, Offset state) {
  ThreadRecord* record = ended_record;
  const bool again = record != nullptr;
  if (!again) record = static_cast<ThreadRecord*>(allocate_in_room(thread, sizeof(ThreadRecord)));
  auto* blocks = static_cast<PageCounters*>(allocate_in_room(thread, 2 * sizeof(PageCounters)));
  if (record == nullptr || blocks == nullptr) return false;
  thread->record = record;
  thread->ignored = blocks;
  thread->dropped = blocks + 1;
  // Links the blocks of an earlier state of this thread, as their sums still count.
  thread->ignored->previous = record->ignored;
  thread->dropped->previous = record->dropped;
  record->ignored = offset_of(thread->ignored);
  record->dropped = offset_of(thread->dropped);
  record->scratch = 0;
  record->ended_ns = 0;
  record->ended_event = 0;
  record->state.store(state, std::memory_order_release);
  if (again) {
    ended_record = nullptr;
    return true;
  }
  record->process = this_process() != nullptr ? offset_of(this_process()) : 0;
  record->tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
  record->started_ns = now_ns();
  record->started_after = header()->sequence.load(std::memory_order_relaxed);
  push(header()->threads, offset_of(record), record->previous);
  begin_stretch(thread);
  if (is_stream()) {
    const Entered entered(thread);  // a signal handler has no state yet
    record->begun_event.store(append_event(thread, RecordKind::thread_begun) + 1);
  }
  return true;
}

}  // namespace

ThreadState* start_thread() {
  if (atoll_thread_state != nullptr) return atoll_thread_state;
  const int error = errno;
  ThreadState* thread = nullptr;
  if (attach()) {
    thread = free_state();
    if (thread == nullptr) {
      const Offset at = allocate_in_region(sizeof(ThreadState), alignof(ThreadState));
      if (at != 0) thread = at_offset<ThreadState>(at);
    }
    if (thread != nullptr) {
      clear(thread);
      if (!enter(thread, offset_of(thread))) thread = nullptr;
    }
    if (thread == nullptr) header()->lost_events.fetch_add(1, std::memory_order_relaxed);
  }
  if (thread == nullptr) {
    thread = private_state();
    clear_slots(thread);
  }
  errno = error;
  return atoll_thread_state = thread;
}

Offset create_thread(std::uint32_t site) {
  ThreadState* thread = start_thread();
  detect_fork();
  if (thread->record == nullptr) return 0;
  const Entered entered(thread);
  auto* creation =
      entered ? static_cast<CreationRecord*>(allocate_in_room(thread, sizeof(CreationRecord)))
              : nullptr;
  if (creation == nullptr) {
    header()->lost_events.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  creation->process = thread->record->process;
  creation->created_ns = now_ns();
  creation->after = header()->sequence.load(std::memory_order_relaxed);
  creation->creator_tid = thread->record->tid;
  creation->site = site;
  if (is_stream()) creation->event = append_event(thread, RecordKind::thread_created) + 1;
  push(header()->creations, offset_of(creation), creation->previous);
  return offset_of(creation);
}

void thread_began(Offset creation, std::int32_t tid) {
  if (creation != 0) at_offset<CreationRecord>(creation)->tid.store(tid);
}

void thread_not_created(Offset creation) {
  thread_began(creation, kNotCreated);
}

void set_number(std::uint64_t number) {
  if (ThreadRecord* record = start_thread()->record; record != nullptr) record->number = number;
}

void record_thread_end(ThreadState* thread) {
  if (thread->record == nullptr || !is_stream() || thread->record->ended_event.load() != 0) return;
  const Entered entered(thread);
  thread->record->has_told_end.store(1);
  if (entered)
    thread->record->ended_event.store(append_event(thread, RecordKind::thread_ended) + 1);
}

void end_thread() {
  ThreadState* thread = atoll_thread_state;
  if (thread == nullptr) return;
  atoll_thread_state = nullptr;
  if (thread->record == nullptr) {  // nothing is recorded
    ::munmap(thread, sizeof(ThreadState) + sizeof(PageCounters));
    return;
  }
  if (thread->scratch != nullptr)
    for (std::size_t i = 0; i < thread->record->scratch_blocks; ++i)
      flush_scratch(thread->scratch + i);
  end_stretch(thread);
  end_task(thread);
  record_thread_end(thread);
  release_ring(thread);
  ThreadRecord* record = thread->record;
  record->scratch = 0;
  record->ended_ns.store(now_ns(), std::memory_order_release);
  record->state.store(0, std::memory_order_release);
  ended_record = record;
  const FreeStates locked;
  thread->next_free = free_states.load(std::memory_order_relaxed);
  free_states.store(thread, std::memory_order_relaxed);
}

/// Replaces the state, whose pages are shared with the parent, by pages of the child's own. They
/// are mapped at the same address, as functions on the stack may hold that address.
void restart_threads_after_fork() {
  free_states_taken.clear();
  free_states = nullptr;  // they belong to the parent
  ended_record = nullptr;
  ThreadState* thread = atoll_thread_state;
  if (thread == nullptr || thread->record == nullptr) return;
  // The ring belongs to the parent; the new pages have none.
  const Offset at = allocate_in_region(sizeof(ThreadState), alignof(ThreadState));
  void* moved = at == 0 ? MAP_FAILED
                        : ::mremap(at_offset<void>(at), 0, sizeof(ThreadState),
                                   MREMAP_MAYMOVE | MREMAP_FIXED, thread);
  // Counts must not reach the parent's state.
  if (moved == MAP_FAILED) return count_nowhere(thread);
  clear(thread);
  if (!enter(thread, at)) count_nowhere(thread);
}

void set_paused(PauseReason why, bool ignored) {
  Header* region = header();
  if (region == nullptr) return;
  const std::uint32_t before =
      ignored ? region->pause_reasons.fetch_or(why, std::memory_order_acq_rel)
              : region->pause_reasons.fetch_and(~std::uint32_t{why}, std::memory_order_acq_rel);
  const std::uint32_t now = ignored ? before | why : before & ~std::uint32_t{why};
  if ((before == 0) == (now == 0)) return;
  for (Offset at = region->threads.load(std::memory_order_acquire); at != 0;
       at = at_offset<ThreadRecord>(at)->previous) {
    const Offset state = at_offset<ThreadRecord>(at)->state.load(std::memory_order_acquire);
    if (state == 0) continue;
    clear_slots(at_offset<ThreadState>(state));
  }
  // After a fork, this thread's state is mapped at the parent's address, not at its offset.
  if (atoll_thread_state != nullptr) clear_slots(atoll_thread_state);
}

}  // namespace Atoll::record
