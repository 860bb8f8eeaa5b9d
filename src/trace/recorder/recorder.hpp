// The recorder inside the watched process (or inside its emulator). Counts go straight into
// counters in the region, which a soft TLB finds. The code is free-standing: it has no exceptions,
// and an access needs no allocation and no locks. It can be called before main, in signal handlers
// and in a forked child. Each thread makes its own calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recorder/region.hpp"

namespace Atoll::trace::recorder {

/// What a loop, perhaps inside another one, does: `reads` reads and `writes` writes of `bytes` (1
/// to 64) at address + i * step + j * outer_step for i < n, j < outer_n.
struct Walk {
  std::uint64_t address;
  std::int64_t step = 0;
  std::uint64_t n = 1;
  std::int64_t outer_step = 0;
  std::uint64_t outer_n = 1;
  std::uint32_t bytes;
  std::uint32_t reads, writes;
  bool atomic = false;  ///< its writes are of atomic operations
};
inline constexpr std::size_t kWalksOfLoop = 32;

/// Where a thread is in the sampling of its misses (misses.hpp).
struct Stretch {
  std::uint32_t generation;         ///< goes up by one within a stretch, by two between them
  std::uint32_t generations_left;   ///< with the present one; 0: between stretches
  std::uint32_t generations;        ///< of the stretch that have ended
  std::uint64_t lines_left;         ///< until the generation ends
  bool counts;                      ///< true if the present generation counts
  bool is_first;                    ///< true for the thread's first stretch
  bool is_over;                     ///< memory is short: there will be no further one
  std::uint32_t finds_left;         ///< until the clock is looked at, between stretches
  std::uint64_t began_ns, next_ns;  ///< CPU time, when it began and when the next may
  std::uint64_t look_ns;            ///< CLOCK_MONOTONIC: it can't be before this time
  Offset pages;  ///< room for SampledPages; kept when the state becomes another thread's
  std::uint64_t pages_room;
};

/// A line that the present task uses.
struct LineOfTask {
  Line* line;            ///< its stamp and words
  std::uint64_t number;  ///< address / 64
};
/// The present task of a thread (tasks.hpp). Compiled code writes to the log.
struct TaskState {
  Line stamp;        ///< of the present task, or of what is between tasks
  LineOfTask* next;  ///< of the log, free; behind it are entries of earlier tasks
  LineOfTask* end;
  LineOfTask* log;      ///< null: it has none yet; kept when the state becomes another thread's
  std::uint64_t word;   ///< task_words.hpp; 0: between tasks
  std::uint32_t loops;  ///< 1 + the number of the last task's loop; 0: none
};

/// One thread's own part: whole pages of the region (of private memory if nothing is recorded).
struct alignas(4096) ThreadState {
  Slot slots[kSlots];  ///< cleared by the ticker and at a fork
  TimedCounts timed;
  // The rest is for the recorder only.
  ThreadRecord* record;
  Offset* table;  ///< open addressing: page, then offset of its PageCounters or PageRecord
  std::uint64_t table_entries, table_used;
  std::uint8_t* room;  ///< unused zeroed memory of the region
  std::uint64_t room_bytes, next_room_bytes;
  PageCounters* scratch;  ///< for pages without lines, in use in turn
  std::uint32_t next_scratch;
  std::uint32_t busy;       ///< inside the recorder: a signal handler's accesses are ignored then
  PageCounters* ignored;    ///< where accesses go that are not recorded
  PageCounters* dropped;    ///< where they go if memory is short
  Offset ring;              ///< of a stream; kept when the state becomes another thread's
  std::uint64_t ring_read;  ///< Ring::read, when this thread last looked
  std::uint64_t loop;       ///< of a stream: the last number given to a loop
  std::uint64_t in_loop;
  Offset styles;             ///< of a timed stream: its StyleTable; kept as the ring is
  std::uint64_t clock;       ///< of a stream: of how many events it has told, or told to know
  std::uint64_t walk_count;  ///< of a stream: of `walks`
  Walk walks[kWalksOfLoop];  ///< of the loop whose walks are being told
  std::uint64_t arrival;     ///< of a timed stream: how many had arrived at its barrier before it
  ThreadState* next_free;
  std::uint64_t look_epoch;            ///< the last one in which it looked at others' counters …
  std::uint32_t looks, invalidations;  ///< … how often; how many pages have Invalidations
  Stretch stretch;
  TaskState task;
};

/// Returns the slot that `page` is in, or would be in.
inline Slot& slot_of(ThreadState* thread, std::uint64_t page) {
  return thread->slots[page % kSlots];
}

/// Tells `atoll` what the log has, so that there is room again.
void tell_log(ThreadState* thread);

/// The present task uses a line: its address / 64, and use_of(). The log's next entry is written in
/// any case and counts if the line is new to the task, as a branch on that is often mispredicted.
inline void use_in_task(ThreadState* thread, Line& line, std::uint64_t number, Line use) {
  TaskState& task = thread->task;
  const Line before = line;
  const bool is_new = (before ^ task.stamp) >= kOneStamp;
  *task.next = {&line, number};
  task.next += is_new ? 1 : 0;
  line = (is_new ? task.stamp : before) | use;
  if (__builtin_expect(task.next >= task.end, 0)) tell_log(thread);
}

/// Makes all pages be looked up anew. Any thread may call it for any thread.
inline void clear_slots(ThreadState* thread) {
  for (Slot& slot : thread->slots)  // (most aren't in use, nor in the thread's cache)
    if (__atomic_load_n(&slot.begin, __ATOMIC_RELAXED) != kEmpty)
      __atomic_store_n(&slot.begin, kEmpty, __ATOMIC_RELAXED);
}

/// This thread's state; null before its first access. Front ends read it on every access:
/// `current_thread()`. (It is constinit; else each of these would first ask if it has to be
/// initialised.)
extern "C" __attribute__((
    visibility("default"),
    tls_model("initial-exec"))) constinit thread_local ThreadState* atoll_thread_state;

/// Maps the region that ATOLL_RECORDING names, once in each process, and enters the process in it.
/// Returns false if there is none, so nothing is recorded. If `path` isn't null, it is used instead
/// of the variable.
bool attach(const char* path = nullptr);
[[nodiscard]] bool attached();
extern Header* shared_region;  ///< null: nothing is attached
[[nodiscard]] inline Header* header() {
  return shared_region;
}

/// Returns this thread's state, made if there is none. Never returns null: if nothing is recorded,
/// the state's accesses go nowhere.
ThreadState* start_thread();
inline ThreadState* current_thread() {
  ThreadState* thread = atoll_thread_state;
  return __builtin_expect(thread != nullptr, 1) ? thread : start_thread();
}
/// This thread is about to create another one, at this place of the program (0: unknown). Returns a
/// CreationRecord (0 if nothing is recorded) to pass to one of the next two: the new thread began,
/// as `tid`; or none was created.
Offset create_thread(std::uint32_t site);
void thread_began(Offset creation, std::int32_t tid);
void thread_not_created(Offset creation);
/// Sets the program's own name for this thread (its pthread_t), which Joined and Detached use.
void set_number(std::uint64_t number);
/// Of a stream: this thread ends now. Where end_thread() comes later than others may know of it.
void tell_end(ThreadState* thread);
/// This thread ends; another thread may get its state from now on. If it continues after all, it is
/// started again and counts as the same thread.
void end_thread();
/// Called in the child, after a fork: this thread continues as the first of a new process, and all
/// others are gone. It runs by itself if libc's fork is used (pthread_atfork), else once the child
/// misses a page (what the child does before counts as its parent's). A second call does nothing.
void forked();
/// The process is about to end with this exit code.
void exits(int code);
/// The process ends or executes another program.
void end_process();
/// It didn't end: the program couldn't be executed.
void process_goes_on();

/// Returns this thread's counters of `page` as they are in the slot now; never null. Front ends
/// whose own fast path misses call record(), which also knows what to do in a stream.
Slot find_block(ThreadState* thread, std::uint64_t page);
/// Records what a line that has become full has counted, and these counts. The line's counts become
/// 0.
void carry(ThreadState* thread, PageCounters* block, std::uint64_t line,
           std::uint64_t more_reads = 0, std::uint64_t more_writes = 0);

/// Records one access of `bytes` (1 to 64) at `address`, by this thread.
void record(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, bool is_write);
/// Records the write of an atomic operation, which is told apart where tasks are recorded.
void record_atomic_write(ThreadState* thread, std::uint64_t address, std::uint32_t bytes);
/// The system has written to pages on the thread's behalf: those that nobody has used are the
/// thread's.
void fill_pages(ThreadState* thread, std::uint64_t address, std::uint64_t bytes);
/// Takes back a write of this thread at `address`, if it was counted. A page to which the thread
/// did nothing else then counts as untouched by it.
void take_back_write(ThreadState* thread, std::uint64_t address);
/// Records one access of those of up to 64 lanes of `bytes`, side by side, that have a bit in
/// `lanes`. More than 64 bytes of them are recorded as for a memcpy.
void record_lanes(ThreadState* thread, std::uint64_t address, std::uint64_t lanes,
                  std::uint32_t bytes, bool is_write);
/// Records accesses of any length as for a memcpy: one for each `unit` bytes (the last may be
/// shorter).
void record_bytes(ThreadState* thread, std::uint64_t address, std::uint64_t bytes, bool is_write,
                  std::uint32_t unit = 8);
/// Records n accesses of `bytes` (1 to 64) at address, address + step, … If `more` is set, the next
/// range is of the same loop, whose iterations do one access of each of its ranges in turn.
void record_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more = false);
/// Records a Walk in the same way. In a stream, each iteration of the outer loop does, for all
/// walks of the same loop in turn, what the inner loop does.
void record_walk(ThreadState* thread, const Walk& walk, bool more = false);
/// Records n accesses of `bytes` at the same address.
void record_repeated(ThreadState* thread, std::uint64_t address, std::uint64_t n,
                     std::uint32_t bytes, bool is_write);

/// Of a timed stream: what record() and the like don't know of an access.
struct Timing {
  std::uint64_t dependence = 0;  ///< the number of the load that its address comes from; 0: of none
  std::uint32_t instructions = 0, divisions = 0, chain = 0;  ///< besides TimedCounts; of a range:
                                                             ///< in each iteration, alone
  bool atomic = false;
  bool stepped = false;  ///< a range whose iterations TimedCounts::steps and loads tell
};
[[nodiscard]] bool is_timed();
/// Records an access, and returns its number if it is a load. In a stream that isn't timed it does
/// what record() does.
std::uint64_t record_timed(ThreadState* thread, std::uint64_t address, std::uint32_t bytes,
                           bool is_write, const Timing& timing);
/// Records a Walk. As record_walk() does with `more`, it waits for the loop's last one.
void record_walk_timed(ThreadState* thread, const Walk& walk, const Timing& timing, bool more);

/// Records an event of this thread. Its payload is in two parts (the second may be empty).
void emit(ThreadState* thread, EventKind kind, const void* payload, std::size_t bytes,
          const void* more = nullptr, std::size_t more_bytes = 0);

inline constexpr std::size_t kMaxPath = 4096;
/// Says what a mmap of a file (with MAP_ANONYMOUS: of none) put behind the addresses, and the
/// file's path.
void find_behind(Mapped& mapped, char (&path)[kMaxPath], int flags, int file, std::uint64_t offset);

/// Records an API mark: an event, and what it does to partial tracing.
void mark(ThreadState* thread, Mark value);
/// This thread begins a task, the `number`-th of a loop of that name; or ends it. A task that
/// begins ends the thread's one before.
void begin_task(ThreadState* thread, const char* loop, std::uint64_t number);
void end_task(ThreadState* thread);
/// What a loop of tasks is like; the last call holds.
void tell_loop(const char* loop, std::uint64_t iterations, std::uint64_t chunk,
               std::uint64_t fingerprint);
/// Memory to which tasks add in any order.
void tell_reduction(const void* begin, std::uint64_t bytes);
/// Sets whether accesses of all processes are ignored for this reason from now on (partial
/// tracing).
void hold_back(HeldBack why, bool ignored);

}  // namespace Atoll::trace::recorder
