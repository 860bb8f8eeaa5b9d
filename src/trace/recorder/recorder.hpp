// What records, inside the watched process (or inside its emulator): counts go straight into blocks
// in the region, found by a soft TLB. Free-standing: no exceptions, no allocation, no locks on the
// way of an access, callable before main, in signal handlers and in a forked child. All of a
// thread's calls are made by that thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recorder/region.hpp"

namespace Atoll::trace::recorder {

/// What a loop, perhaps in another, does: `reads` reads and `writes` writes of `bytes` (1 to 64) at
/// address + i * step + j * outer_step for i < n, j < outer_n.
struct Walk {
  std::uint64_t address;
  std::int64_t step = 0;
  std::uint64_t n = 1;
  std::int64_t outer_step = 0;
  std::uint64_t outer_n = 1;
  std::uint32_t bytes;
  std::uint32_t reads, writes;
};
inline constexpr std::size_t kWalksOfLoop = 32;

/// Where a thread is in the sampling of its misses (misses.hpp).
struct Stretch {
  std::uint32_t generation;         ///< goes up by one within a stretch, by two between them
  std::uint32_t generations_left;   ///< with the present one; 0: between stretches
  std::uint32_t generations;        ///< of the stretch that have ended
  std::uint64_t lines_left;         ///< until the generation ends
  bool counts;                      ///< the present generation
  bool is_first;                    ///< stretch of the thread
  bool is_over;                     ///< no memory: there will be none
  std::uint32_t finds_left;         ///< until the clock is looked at, between stretches
  std::uint64_t began_ns, next_ns;  ///< CPU time, when it began and when the next may
  std::uint64_t look_ns;            ///< CLOCK_MONOTONIC: not before can that be
  Offset pages;  ///< room for SampledPages; kept when the state becomes another thread's
  std::uint64_t pages_room;
};

/// One thread's own part, whole pages of the region (of private memory where nothing is recorded).
struct alignas(4096) ThreadState {
  Slot slots[kSlots];  ///< cleared by the ticker and at a fork
  // The rest is the recorder's.
  ThreadRecord* record;
  Offset* table;  ///< open addressing: page, then offset of its PageCounters or PageRecord
  std::uint64_t table_entries, table_used;
  std::uint8_t* room;  ///< unused zeroed memory of the region
  std::uint64_t room_bytes, next_room_bytes;
  PageCounters* scratch;  ///< for pages without lines, in use in turn
  std::uint32_t next_scratch;
  std::uint32_t busy;     ///< inside the recorder: a signal handler's accesses are ignored then
  PageCounters* ignored;  ///< where accesses go that are not recorded
  PageCounters* dropped;  ///< where they go for want of memory
  Offset ring;            ///< of a stream; kept when the state becomes another thread's
  std::uint64_t loop;     ///< of a stream: the last number given to a loop
  std::uint64_t in_loop;
  std::uint64_t clock;       ///< of a stream: of how many events it has told, or told to know
  std::uint64_t walk_count;  ///< of a stream: of `walks`
  Walk walks[kWalksOfLoop];  ///< of the loop whose walks are being told
  ThreadState* next_free;
  Stretch stretch;
};

/// The one that `page` is in, if it is in any.
inline Slot& slot_of(ThreadState* thread, std::uint64_t page) {
  return thread->slots[page % kSlots];
}

/// All pages are looked up anew. Of any thread, by any.
inline void clear_slots(ThreadState* thread) {
  for (Slot& slot : thread->slots)  // (most aren't in use, nor in the thread's cache)
    if (__atomic_load_n(&slot.begin, __ATOMIC_RELAXED) != kEmpty)
      __atomic_store_n(&slot.begin, kEmpty, __ATOMIC_RELAXED);
}

/// This thread's state; null before its first access. Front ends read it on every access:
/// `current_thread()`. (constinit: else each of these first asks whether it has to be initialised.)
extern "C" __attribute__((
    visibility("default"),
    tls_model("initial-exec"))) constinit thread_local ThreadState* atoll_thread_state;

/// Maps the region that ATOLL_RECORDING names, once a process, and enters the process in it; false:
/// there is none, nothing is recorded. `path` instead of the variable where it isn't null.
bool attach(const char* path = nullptr);
[[nodiscard]] bool attached();
extern Header* shared_region;  ///< null: nothing is attached
[[nodiscard]] inline Header* header() {
  return shared_region;
}

/// Makes this thread's state, or gives the one it has. Never null: where nothing is recorded, one
/// whose accesses go nowhere.
ThreadState* start_thread();
inline ThreadState* current_thread() {
  ThreadState* thread = atoll_thread_state;
  return __builtin_expect(thread != nullptr, 1) ? thread : start_thread();
}
/// This thread is about to create another, at this place of the program (0: unknown). Returns a
/// CreationRecord, or 0 where nothing is recorded, for one of: the new thread began, as `tid`; none
/// was created.
Offset create_thread(std::uint32_t site);
void thread_began(Offset creation, std::int32_t tid);
void thread_not_created(Offset creation);
/// What the program calls this thread by (its pthread_t), which Joined and Detached name.
void set_number(std::uint64_t number);
/// Of a stream: this thread ends now. Where end_thread() comes later than others may know of it.
void tell_end(ThreadState* thread);
/// This thread ends; its state may be another's from now on. Should it go on after all, it is
/// started again and counts as the same thread.
void end_thread();
/// In the child, after a fork: this thread goes on as the first of a new process, all others are
/// gone. Runs by itself where libc's fork is used (pthread_atfork), or else once the child misses
/// a page (what it does before counts as its parent's); the second time does nothing.
void forked();
/// The process is about to end with this exit code.
void exits(int code);
/// The process ends or executes another program.
void end_process();
/// It didn't: the program couldn't be executed.
void process_goes_on();

/// The counters of `page` for this thread, and the slot filled in. Never null. Front ends whose own
/// fast path misses call record(), which also knows what to do in a stream.
PageCounters* find_block(ThreadState* thread, std::uint64_t page);
/// Records what a line that has become full has counted, and these; its counts become 0.
void carry(ThreadState* thread, PageCounters* block, std::uint64_t line,
           std::uint64_t more_reads = 0, std::uint64_t more_writes = 0);

/// One access of `bytes` (1 to 64) at `address`, by this thread.
void record(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, bool is_write);
/// Takes back a write of this thread at `address`, which was counted or not. A page that it did
/// nothing else to isn't touched by it.
void take_back_write(ThreadState* thread, std::uint64_t address);
/// One access of those of up to 64 lanes of `bytes` side by side that have a bit in `lanes`; more
/// than 64 bytes of them are as from a memcpy.
void record_lanes(ThreadState* thread, std::uint64_t address, std::uint64_t lanes,
                  std::uint32_t bytes, bool is_write);
/// Accesses of any length as from a memcpy: one for each `unit` bytes (the last may be shorter).
void record_bytes(ThreadState* thread, std::uint64_t address, std::uint64_t bytes, bool is_write,
                  std::uint32_t unit = 8);
/// n accesses of `bytes` (1 to 64) at address, address + step, …; `more`: the next range is of the
/// same loop, whose iterations do one access of each of its ranges in turn.
void record_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more = false);
/// The same for a Walk; in a stream each iteration of the outer loop does, for all walks of the
/// same loop in turn, what the inner loop does.
void record_walk(ThreadState* thread, const Walk& walk, bool more = false);
/// n accesses of `bytes` at the same address.
void record_repeated(ThreadState* thread, std::uint64_t address, std::uint64_t n,
                     std::uint32_t bytes, bool is_write);

/// Records an event of this thread; its payload in two parts (the second may be empty).
void emit(ThreadState* thread, EventKind kind, const void* payload, std::size_t bytes,
          const void* more = nullptr, std::size_t more_bytes = 0);

inline constexpr std::size_t kMaxPath = 4096;
/// What a mmap of a file (with MAP_ANONYMOUS: of none) put behind the addresses; the file's path.
void find_behind(Mapped& mapped, char (&path)[kMaxPath], int flags, int file, std::uint64_t offset);

/// An API mark: an event, and what it does to partial tracing.
void mark(ThreadState* thread, Mark value);
/// Whether accesses of all processes are ignored from now on for this reason (partial tracing).
void hold_back(HeldBack why, bool ignored);

}  // namespace Atoll::trace::recorder
