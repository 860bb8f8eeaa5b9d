// Recorder inside the watched process (or inside its emulator). Accesses are counted directly in
// the region; a soft TLB finds the counters of a page. The code is free-standing: it has no
// exceptions, and recording an access takes no allocation and no lock. It can be called before
// main, in signal handlers and in a forked child. Each thread must make its own calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/region.hpp"

namespace Atoll::record {

/// Accesses of a loop or a nest of two loops: `reads` reads and `writes` writes of `bytes` (1 to
/// 64) at address + i * step + j * outer_step for i < n, j < outer_n.
struct Walk {
  std::uint64_t address;
  std::int64_t step = 0;
  std::uint64_t n = 1;
  std::int64_t outer_step = 0;
  std::uint64_t outer_n = 1;
  std::uint32_t bytes;
  std::uint32_t reads, writes;
  bool atomic = false;  ///< the writes are atomic operations
};
inline constexpr std::size_t kWalksOfLoop = 32;

/// State of a thread's miss sampling (misses.hpp).
struct SamplingBurst {
  std::uint32_t generation;         ///< incremented by 1 within a stretch, by 2 between stretches
  std::uint32_t generations_left;   ///< including the current one; 0: between stretches
  std::uint32_t generations;        ///< completed generations of the stretch
  std::uint64_t lines_left;         ///< until the generation ends
  bool counts;                      ///< true if the current generation is sampled
  bool is_first;                    ///< true for the thread's first stretch
  bool is_over;                     ///< memory is short, so sampling has ended
  std::uint32_t finds_left;         ///< lookups until the next look at the clock, between stretches
  std::uint64_t began_ns, next_ns;  ///< CPU time: the stretch's begin, and the next one's earliest
  std::uint64_t look_ns;            ///< CLOCK_MONOTONIC: the next stretch can't begin earlier
  Offset pages;                     ///< SampledPages; kept when another thread gets the state
  std::uint64_t pages_room;
};

/// Line that the current task uses.
struct LineOfTask {
  Line* line;            ///< its stamp and words
  std::uint64_t number;  ///< address / 64
};
/// Current task of a thread (tasks.hpp). Compiled code writes to the log, too.
struct TaskState {
  Line stamp;        ///< stamp of the current task, or of the interval between tasks
  LineOfTask* next;  ///< next free log entry; later entries are of earlier tasks
  LineOfTask* end;
  LineOfTask* log;      ///< null: not yet allocated; kept when another thread gets the state
  std::uint64_t word;   ///< as in task_words.hpp; 0: between tasks
  std::uint32_t loops;  ///< 1 + number of the last task's loop; 0: none
};

/// State of one thread: whole pages of the region (private memory if nothing is recorded).
struct alignas(4096) ThreadState {
  Slot slots[kSlots];  ///< cleared by the ticker and after a fork
  TimedCounts timed;
  // The members below are for the recorder only.
  ThreadRecord* record;
  Offset* table;  ///< open addressing; entry: page, offset of its PageCounters or PageRecord
  std::uint64_t table_entries, table_used;
  std::uint8_t* room;  ///< unused zeroed memory of the region
  std::uint64_t room_bytes, next_room_bytes;
  PageCounters* scratch;  ///< for pages without lines, reused in turn
  std::uint32_t next_scratch;
  std::uint32_t busy;       ///< 1: inside the recorder, so signal handlers' accesses are ignored
  PageCounters* ignored;    ///< counters for accesses that are not to be recorded
  PageCounters* dropped;    ///< counters for accesses for which memory is short
  Offset ring;              ///< stream mode; kept when another thread gets the state
  std::uint64_t ring_read;  ///< Ring::read, as of this thread's last look
  std::uint64_t loop;       ///< stream mode: the last loop number in use
  std::uint64_t in_loop;
  Offset styles;             ///< timed stream: its StyleTable; kept like the ring
  std::uint64_t clock;       ///< stream mode: its clock as in its stream
  std::uint64_t walk_count;  ///< stream mode: size of `walks`
  Walk walks[kWalksOfLoop];  ///< walks of the loop that is being recorded
  std::uint64_t arrival;     ///< timed stream: number of earlier arrivals at its barrier
  ThreadState* next_free;
  std::uint64_t look_epoch;            ///< last epoch in which it looked at others' counters …
  std::uint32_t looks, invalidations;  ///< … number of looks in it; pages with Invalidations
  SamplingBurst stretch;
  TaskState task;
  std::uint64_t place;  ///< return address of the code whose access is being recorded; 0: unknown
};

/// Returns the slot for `page`.
inline Slot& slot_of(ThreadState* thread, std::uint64_t page) {
  return thread->slots[page % kSlots];
}

/// Sends the lines in the log to `atoll` and empties the log.
void flush_task_log(ThreadState* thread);

/// Records that the current task uses the line `number` (address / 64); `use` is from use_of(). The
/// next log entry is written in any case but kept only if the line is new to the task. This avoids
/// a branch that is often mispredicted.
inline void use_in_task(ThreadState* thread, Line& line, std::uint64_t number, Line use) {
  TaskState& task = thread->task;
  const Line before = line;
  const bool is_new = (before ^ task.stamp) >= kOneStamp;
  *task.next = {&line, number};
  task.next += is_new ? 1 : 0;
  line = (is_new ? task.stamp : before) | use;
  if (__builtin_expect(task.next >= task.end, 0)) flush_task_log(thread);
}

/// Invalidates all slots, so that all pages are looked up again. Any thread may call it for any
/// thread.
inline void clear_slots(ThreadState* thread) {
  for (Slot& slot : thread->slots)  // most are unused, and not in the thread's cache
    if (__atomic_load_n(&slot.begin, __ATOMIC_RELAXED) != kEmpty)
      __atomic_store_n(&slot.begin, kEmpty, __ATOMIC_RELAXED);
}

/// State of this thread; null before its first access. Front ends use current_thread() for every
/// access. It is constinit, as a check for dynamic initialisation would slow down each access.
extern "C" __attribute__((
    visibility("default"),
    tls_model("initial-exec"))) constinit thread_local ThreadState* atoll_thread_state;

/// Maps the region that ATOLL_RECORDING (or `path`, if not null) names, once in each process, and
/// adds the process to it. Returns false if there is no region, so nothing is recorded.
bool attach(const char* path = nullptr);
[[nodiscard]] bool attached();
extern Header* shared_region;  ///< null: no region is attached
[[nodiscard]] inline Header* header() {
  return shared_region;
}

/// Returns this thread's state, creating it if necessary. Never returns null: if nothing is
/// recorded, the state's counters are discarded.
ThreadState* start_thread();
inline ThreadState* current_thread() {
  ThreadState* thread = atoll_thread_state;
  return __builtin_expect(thread != nullptr, 1) ? thread : start_thread();
}
/// Returns the same, for accesses of the code that ends at this return address.
inline ThreadState* thread_at(const void* place) {
  ThreadState* thread = current_thread();
  thread->place = reinterpret_cast<std::uint64_t>(place);
  return thread;
}
/// Records that this thread is about to create another one, at call site `site` (0: unknown).
/// Returns a CreationRecord (0 if nothing is recorded) to pass to thread_began() if the new thread
/// began as `tid`, or to thread_not_created() if the system refused.
Offset create_thread(std::uint32_t site);
void thread_began(Offset creation, std::int32_t tid);
void thread_not_created(Offset creation);
/// Sets the program's identifier of this thread (its pthread_t), which Joined and Detached refer
/// to.
void set_number(std::uint64_t number);
/// Stream mode: records the end of this thread, earlier than end_thread() if other threads may
/// observe the end before that.
void record_thread_end(ThreadState* thread);
/// Ends this thread and frees its state for other threads. If the thread continues after all, it is
/// started again and counts as the same thread.
void end_thread();
/// Must be called in the child after a fork: the calling thread continues as the first of a new
/// process. If libc's fork is used, pthread_atfork calls it. Otherwise the child's first lookup of
/// a page does; accesses before that count as the parent's. A second call has no effect.
void forked();
/// Records that the process is about to end with this exit code.
void exits(int code);
/// Records that the process ends or executes another program.
void end_process();
/// Reverts end_process(): the other program could not be executed.
void revert_end_process();

/// Returns this thread's slot for `page` after a lookup. Its `block` is never null. If a front
/// end's own fast path misses, it must call record(), which also handles streams.
Slot find_block(ThreadState* thread, std::uint64_t page);
/// Moves a full line's counts, and these further counts, to a Carry. The line's counts become 0.
void spill_counts(ThreadState* thread, PageCounters* block, std::uint64_t line,
                  std::uint64_t more_reads = 0, std::uint64_t more_writes = 0);

/// Records one access of `bytes` (1 to 64) at `address`, by this thread.
void record(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, bool is_write);
/// Records the write of an atomic operation. Only recorded tasks distinguish it from other writes.
void record_atomic_write(ThreadState* thread, std::uint64_t address, std::uint32_t bytes);
/// Records that the system wrote to pages on behalf of the thread: pages without accesses so far
/// belong to the thread.
void fill_pages(ThreadState* thread, std::uint64_t address, std::uint64_t bytes);
/// Reverts the count of this thread's write at `address`, if it was counted. A page without other
/// accesses by the thread then counts as untouched by it.
void take_back_write(ThreadState* thread, std::uint64_t address);
/// Records accesses to lanes: up to 64 adjacent elements of `bytes`, of which those with a bit in
/// `lanes` are accessed. They count as one access. If they span more than 64 bytes, they are
/// recorded as by record_bytes().
void record_lanes(ThreadState* thread, std::uint64_t address, std::uint64_t lanes,
                  std::uint32_t bytes, bool is_write);
/// Records accesses of any length as those of a memcpy: one for each `unit` bytes (the last one may
/// be shorter).
void record_bytes(ThreadState* thread, std::uint64_t address, std::uint64_t bytes, bool is_write,
                  std::uint32_t unit = 8);
/// Records n accesses of `bytes` (1 to 64) at address, address + step, … If `more`, the next range
/// belongs to the same loop, whose iterations make one access of each of its ranges in turn.
void record_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more = false);
/// Records a Walk; `more` as for record_range(). In a stream, each iteration of the outer loop has,
/// for all walks of the loop in turn, the accesses of the inner loop.
void record_walk(ThreadState* thread, const Walk& walk, bool more = false);
/// Records n accesses of `bytes` at the same address.
void record_repeated(ThreadState* thread, std::uint64_t address, std::uint64_t n,
                     std::uint32_t bytes, bool is_write);

/// Timed streams: additional properties of an access.
struct Timing {
  std::uint64_t dependence = 0;    ///< number of the load that its address comes from; 0: none
  WorkCounts<std::uint32_t> work;  ///< in addition to TimedCounts; of a range: in each iteration
  bool atomic = false;
  bool stepped = false;  ///< a range; the thread counts its iterations in TimedCounts::steps
};
[[nodiscard]] bool is_timed();
/// Records an access. Returns its number if it is a load. Without a timed stream, it is the same as
/// record().
std::uint64_t record_timed(ThreadState* thread, std::uint64_t address, std::uint32_t bytes,
                           bool is_write, const Timing& timing);
/// Records a Walk. Like record_walk() with `more`, it defers the loop until its last walk.
void record_walk_timed(ThreadState* thread, const Walk& walk, const Timing& timing, bool more);

/// Records an event of this thread. The payload is the concatenation of two parts; the second may
/// be empty.
void emit(ThreadState* thread, EventKind kind, const void* payload, std::size_t bytes,
          const void* more = nullptr, std::size_t more_bytes = 0);

inline constexpr std::size_t kMaxPath = 4096;
/// Determines the memory behind a mapping made by mmap() with `flags`, and the path of its file
/// (empty if MAP_ANONYMOUS).
void find_backing(Mapped& mapped, char (&path)[kMaxPath], int flags, int file,
                  std::uint64_t offset);

/// Records an API mark as an event, and applies it to partial recording.
void mark(ThreadState* thread, Mark value);
/// Begin and end of a task in this thread: the `number`-th of the loop named `loop`. A begin also
/// ends the thread's previous task.
void begin_task(ThreadState* thread, const char* loop, std::uint64_t number);
void end_task(ThreadState* thread);
/// Sets the properties of a loop of tasks; the last call applies.
void declare_loop(const char* loop, std::uint64_t iterations, std::uint64_t chunk,
                  std::uint64_t fingerprint);
/// Declares memory to which tasks add in any order.
void declare_reduction(const void* begin, std::uint64_t bytes);
/// Sets or clears a reason for ignoring the accesses of all processes from now on (partial
/// recording).
void set_paused(PauseReason why, bool ignored);

}  // namespace Atoll::record
