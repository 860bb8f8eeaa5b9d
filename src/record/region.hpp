// Layout of the shared memory that watched processes record into. `atoll` creates and owns it, and
// reads it after the program's end, including after a crash or SIGKILL. So its contents are valid
// at every moment (an entry is complete before it is linked into a list). Offsets are used instead
// of pointers, as processes map the memory at different addresses. Fresh memory is zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/stream_words.hpp"

namespace Atoll::record {

inline constexpr std::uint64_t kMagic = 0x316c6c6f7461;  // "atoll1"
inline constexpr char kVariable[] = "ATOLL_RECORDING";   ///< in the environment: the region's path

/// Offset in bytes from the region's start; 0: none.
using Offset = std::uint64_t;

/// Accesses of a thread to a line, in one word, so that counting an access is one load and one
/// store. Bits 32 to 63 count reads, bits 8 to 31 writes. Bit i of the lowest byte is set if 8-byte
/// word i was accessed. A count that reaches the highest bit of its field is moved to a Carry.
using Line = std::uint64_t;
inline constexpr Line kOneWrite = Line{1} << 8, kOneRead = Line{1} << 32;
inline constexpr Line kWords = kOneWrite - 1;
inline constexpr Line kFull = Line{1} << 63 | Line{1} << 31;
/// Limits for a single addition. Counting code may exceed a full line by up to 63 at a time, and a
/// watched line (below) has both kFull bits set from the beginning.
inline constexpr Line kHalfFull = kFull >> 1;
inline constexpr std::uint64_t kMaxReads = (Line{1} << 30) - 64, kMaxWrites = (Line{1} << 22) - 64;
inline constexpr std::uint64_t reads_of(Line line) {
  return line / kOneRead;
}
inline constexpr std::uint64_t writes_of(Line line) {
  return line % kOneRead / kOneWrite;
}

/// Converts a mask of epochs of generation `from` to the longer epochs of generation `to`. An epoch
/// of one generation is a pair of the generation before.
inline constexpr std::uint64_t epochs_in_generation(std::uint64_t epochs, std::uint32_t from,
                                                    std::uint32_t to) {
  for (; from < to && epochs > 1; ++from) {
    std::uint64_t half = 0;
    for (int bit = 0; bit < 32; ++bit)
      if (((epochs >> (2 * bit)) & 3U) != 0) half |= std::uint64_t{1} << bit;
    epochs = half;
  }
  return epochs;
}

// Uses a single instruction where possible, so that counts of an interrupting signal handler are
// not lost.
inline void add_at_once(Line& line, Line counts) {
#ifdef __x86_64__
  asm("addq %1, %0" : "+m"(line) : "re"(counts) : "cc");
#else
  line += counts;
#endif
}
inline void or_at_once(Line& line, Line words) {
#ifdef __x86_64__
  asm("orq %1, %0" : "+m"(line) : "re"(words) : "cc");
#else
  line |= words;
#endif
}
inline void and_at_once(Line& line, Line kept) {
#ifdef __x86_64__
  asm("andq %1, %0" : "+m"(line) : "re"(kept) : "cc");
#else
  line &= kept;
#endif
}

// If tasks are recorded (tasks.hpp), a line of PageCounters has no counts. Its upper 40 bits are
// the stamp of the last task that used the line. The next three bytes are bit masks of its words:
// those that the task updated by atomic operations, wrote otherwise, and read.
inline constexpr Line kOneStamp = Line{1} << 24, kOneAtomicWord = Line{1} << 16,
                      kOneWrittenWord = Line{1} << 8;
/// Returns the bits that a use of these words sets in a line.
inline constexpr Line use_of(std::uint8_t words, bool reads, bool writes, bool atomic) {
  return (reads ? words : Line{0}) |
         (writes ? words * (atomic ? kOneAtomicWord : kOneWrittenWord) : Line{0});
}

/// Accesses of one thread to one page, by lines.
struct PageCounters {
  Line lines[64];
  std::uint64_t page;          ///< address >> 12
  std::uint64_t epochs;        ///< bit i: accessed in epoch i of generation epoch_generation
  std::uint64_t first_access;  ///< value of Header::sequence
  std::uint16_t epoch_generation;
  std::uint16_t first_uses;  ///< first uses of words in sampled generations, without the open one
  std::uint32_t generation;  ///< its thread's Stretch::generation when it was last watched; 0:
                             ///< never
  Offset previous;           ///< previous counters in the thread's list
  std::uint64_t watched;     ///< bit i: line i is watched, so its kFull bits are not counts
  /// Bit i: line i was used in the generation before `generation`, or has never been used.
  std::uint64_t used_before;
  float misses;    ///< in sampled generations, without first uses of lines
  float accesses;  ///< in generations that show reuse, without the open one; -1 after the first
  Offset thread;   ///< its thread's ThreadRecord
  Offset next_in_bucket;              ///< next counters in the bucket of Header::page_buckets
  std::atomic<Offset> invalidations;  ///< its Invalidations; 0: none yet
  std::atomic<std::uint32_t> shared;  ///< 1: other threads of the process use the page, too
  std::uint32_t filled;               ///< 1: the system filled the page for the thread before it
                                      ///< was used
  std::uint64_t place;                ///< return address of the first access; 0: unknown
};
static_assert(offsetof(PageCounters, lines) == 0 && sizeof(PageCounters) == 616);

/// Returns the counts of a line.
inline constexpr Line counts_of(const PageCounters& block, std::size_t line) {
  return (block.watched >> line & 1U) != 0 ? block.lines[line] & ~kFull : block.lines[line];
}
/// Sums over a page's lines: accesses, without those in Carries; accessed words and lines.
struct PageSums {
  std::uint64_t accesses = 0;
  std::uint32_t words = 0, lines = 0;
};
inline constexpr PageSums sum_of_counts(const PageCounters& block) {
  PageSums sum;
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t words = 0;  // masks of eight lines, for a single popcount
    for (std::size_t j = i; j < i + 8; ++j) {
      const Line line = counts_of(block, j);
      sum.accesses += reads_of(line) + writes_of(line);
      words = words << 8 | (line & kWords);
      sum.lines += (line & kWords) != 0 ? 1 : 0;
    }
    sum.words += static_cast<unsigned>(__builtin_popcountll(words));
  }
  return sum;
}

/// Page that is watched in the current generation, and its sums at the begin of the watch.
struct SampledPage {
  Offset block;
  PageSums before;
  float misses_before;
  float unused;
};
/// Returns true if the generation shows reuse of the page. The page's first generation does not.
/// Nor does its second, in which a walk may still be in the page: later hits then belong to the
/// same visit and do not recur.
inline constexpr bool tells_of_reuse(const PageCounters& block, const PageSums& before) {
  return before.lines != 0 && block.accesses >= 0;
}
/// Value of first_access after all of the thread's accesses to the page were taken back.
inline constexpr std::uint64_t kTakenBack = ~std::uint64_t{0};

/// Accesses of one thread to one page without lines, for when memory for PageCounters is short.
struct PageRecord {
  std::uint64_t page, epochs, first_access, reads, writes;
  std::uint16_t epoch_generation;
  std::uint16_t sampled;  ///< 1: `reads` are the uses of one epoch, which other records count, too
  std::uint16_t unused[2];
  Offset previous;
};

/// Counts that a line of PageCounters had when it was full.
struct SpilledCounts {
  Offset block;
  std::uint64_t line;
  std::uint64_t reads, writes;
  Offset previous;
};

/// Entry of the soft TLB: address of the page's counters in this process.
struct Slot {
  std::uint64_t begin;  ///< the page's first address; kEmpty: none
  PageCounters* block;  ///< counters of the page; scratch counters for a page without lines
  [[nodiscard]] bool holds(std::uint64_t address) const { return address - begin < 4096; }
  /// As holds(), for a page whose lines have stamps of tasks. Counting code misses such slots.
  [[nodiscard]] bool holds_by_task(std::uint64_t address) const {
    return address - (begin ^ kByTask) < 4096;
  }
  static constexpr std::uint64_t kByTask = std::uint64_t{1} << 62;
};
/// No program has an address in the 4096 bytes from here on.
inline constexpr std::uint64_t kEmpty = std::uint64_t{1} << 63;
inline constexpr std::size_t kSlots = 4096;
inline constexpr std::size_t kMaxScratch = 64;

/// Timed streams: work of a thread since its last recorded access. Front ends increment it,
/// compiled code inline.
struct TimedCounts {
  std::uint64_t instructions;
  std::uint64_t slow;   ///< as slow_word()
  std::uint64_t loads;  ///< total; the number of a load is the total including it
  std::uint64_t steps;  ///< iterations of the loop that is stepped through

  template <typename Count>
  void add(const WorkCounts<Count>& work) {
    instructions += work.instructions;
    slow += slow_word(work);
  }
  [[nodiscard]] Work work() const { return work_of(instructions, slow); }
  [[nodiscard]] bool is_none() const { return (instructions | slow | steps) == 0; }
  void clear() { instructions = slow = steps = 0; }  ///< all but `loads`
};

/// One thread in one process. After a fork, the child's thread is another one.
struct ThreadRecord {
  Offset previous;  ///< in Header::threads
  Offset process;   ///< its ProcessRecord
  std::int32_t tid;
  std::atomic<std::uint32_t> asleep;    ///< timed stream: it waits for other threads (waits.hpp)
  std::uint64_t started_ns;             ///< CLOCK_MONOTONIC
  std::atomic<std::uint64_t> ended_ns;  ///< 0: it lives, or its end was not observed
  std::atomic<Offset> blocks, pages, carries;  ///< list heads (the latest entries)
  std::atomic<Offset> events;                  ///< list head: the latest Event
  std::atomic<Offset> state;     ///< its ThreadState, whose slots the ticker clears; 0: freed
  std::uint64_t split_accesses;  ///< accesses that two lines counted
  Offset scratch;                ///< PageCounters of pages without lines, not yet added to their
                                 ///< PageRecords
  std::uint64_t scratch_blocks;  ///< a power of two, at most kMaxScratch
  Offset ignored;                ///< PageCounters: sum of accesses outside the recorded part
  Offset dropped;                ///< PageCounters: sum of accesses without room
  std::uint64_t ignored_before, dropped_before;  ///< counts that those two had when they were full
  std::atomic<Offset> sampled;                   ///< SampledPages of the current generation
  std::atomic<std::uint64_t> sampled_pages;      ///< size of `sampled`; 0: generation not sampled
  std::uint64_t new_pages;                       ///< pages first used in a sampled generation …
  double new_page_uses;       ///< … and sum of their accesses per word in it, at most 8 each
  std::atomic<Offset> ring;   ///< stream mode: its Ring, while it has one
  std::uint64_t stream_lost;  ///< accesses of signal handlers during a write to the stream
  std::uint64_t number;       ///< pthread_t; 0: unknown
  /// Stream mode: 1 + the number of the event; 0: none.
  std::atomic<std::uint64_t> begun_event, ended_event;
  /// Quanta (waits.hpp): number requested, granted (a futex; written by the reader) and ended.
  /// has_told_end: 1 after the thread has recorded its end; it gets no turn then, even if it
  /// continues.
  std::atomic<std::uint32_t> turns_requested, turns_granted, turns_ended, has_told_end;
  std::atomic<std::uint32_t> computes;  ///< 1: an emulator executes its code. 0: it is in a system
                                        ///< call, or there is no emulator
  std::uint64_t started_after;          ///< Header::sequence when its record was made
};

/// Creation of a thread. The creator records it, as threads may begin in another order, or never.
struct CreationRecord {
  Offset previous;  ///< in Header::creations
  Offset process;   ///< its ProcessRecord
  std::uint64_t created_ns;
  std::int32_t creator_tid;
  std::atomic<std::int32_t> tid;  ///< 0: it has not begun; kNotCreated: the system refused
  std::uint32_t site;             ///< site of the call; 0: unknown
  std::uint32_t unused;
  std::uint64_t after;  ///< Header::sequence at the creation
  std::uint64_t event;  ///< stream mode: 1 + the number of the event; 0: none
};
inline constexpr std::int32_t kNotCreated = -1;

struct ProcessRecord {
  Offset previous;  ///< in Header::processes
  Offset parent;    ///< its ProcessRecord; 0: the first process
  std::int32_t pid;
  std::int32_t parent_pid;
  std::uint64_t created_ns;  ///< time of the fork; 0: unknown
  std::uint64_t started_ns;
  std::atomic<std::uint64_t> ended_ns;
  std::atomic<std::uint32_t> exit_code;  ///< kExits + the code passed to exit; 0: none
  std::uint64_t forked_after;            ///< stream mode: 1 + events before the fork; 0: unknown
};
inline constexpr std::uint32_t kExits = 256;

/// Event: anything but an access. Its payload of `bytes` bytes follows it.
enum class EventKind : std::uint32_t {
  program = 1,  ///< executable's path, then each argument, each with its terminating zero
  module,       ///< ModuleLoaded, then the path
  site,         ///< SiteSeen, then its return addresses, innermost first
  allocated,    ///< Allocated
  freed,        ///< Freed
  slab,         ///< Allocated: pages that a pool got for the small allocations of its site
  small,        ///< SmallAllocations of a pool since its last event of this kind
  creating,     ///< Creating: a guest's thread is about to create another one
  stack,        ///< Allocated, site unused: the thread's stack
  name,         ///< Named, then the text with its terminating zero
  mapped,       ///< Mapped, then the file's path with its terminating zero ("": no file)
  unmapped,     ///< Freed
  affinity,     ///< Bound: the program bound the thread to processing units
  mark,         ///< Marked: an API mark
  joined,       ///< Joined, by the thread that waited
  detached,     ///< Detached
  brk,          ///< Allocated, site unused: growth of the brk heap
  described,    ///< Allocated, site unused, then a text with its terminating zero: the program's
                ///< name for memory that it has
  placed,       ///< a stream's record (from policy_of_range on): first word, 0, further words
};

struct Event {
  Offset previous;         ///< previous event of the same thread
  std::uint64_t sequence;  ///< value of Header::sequence: orders events and first accesses
  std::uint64_t time_ns;   ///< CLOCK_MONOTONIC
  EventKind kind;
  std::uint32_t bytes;
};

struct ModuleLoaded {
  std::uint64_t bias;        ///< address - virtual address in the file
  std::uint64_t begin, end;  ///< addresses
};
/// Call stack. Its number is unique in its process, from 1.
struct SiteSeen {
  std::uint32_t site, levels;
};
struct Allocated {
  std::uint64_t address, bytes;
  std::uint32_t site, unused;
};
/// Kind of memory behind mapped addresses.
enum class Backing : std::uint32_t {
  own,               ///< private zeroed memory
  shared_anonymous,  ///< memory of this mapping, shared with processes that inherit it
  shared_file,       ///< the file's page cache
  private_file,      ///< the file's page cache, until the process writes
  system_v,          ///< System V shared memory
  moved              ///< by mremap: the memory formerly behind the addresses from `offset` on
};
struct Mapped {
  Allocated range;
  std::uint64_t device, inode, offset;  ///< the file's; System V: inode is the segment id
  Backing backing;
  std::uint32_t unused;
};
struct Freed {
  std::uint64_t address, bytes;  ///< bytes 0: the whole allocation
};
struct SmallAllocations {
  std::uint32_t site, unused;
  std::uint64_t count, bytes;
};
struct Creating {
  std::uint32_t site;  ///< 0: no thread was created
};
struct Named {
  std::int32_t tid;
};
struct Bound {
  std::int32_t tid, pu;  ///< pu -1: several
};
/// Refers to a thread by its pthread_t, which the program may reuse: the thread is the last one
/// with that number created before the wait began, or before this event.
struct Joined {
  std::uint64_t number, since_ns;
};
struct Detached {
  std::uint64_t number;
};
enum class Mark : std::uint64_t { begin = 1, end, iteration };
struct Marked {
  Mark value;
};

inline constexpr std::uint64_t kRingWords = 1 << 16;

/// Ring of a stream's records (stream_words.hpp). The thread writes it and `atoll` drains it. If it
/// is full, the thread blocks; no record is dropped.
struct Ring {
  // Each is in a separate cache line, to avoid false sharing between writer and reader.
  alignas(64) std::atomic<std::uint64_t> written;  ///< total number of words written
  alignas(64) std::atomic<std::uint64_t> read;
  std::atomic<std::uint32_t> waits;  ///< futex: 1 while the writer waits for room
  alignas(64) std::uint64_t words[kRingWords];
};

enum class Mode : std::uint32_t {
  counts,
  stream,
  samples  ///< accesses come from samples; those of instrumented code are not recorded
};

/// Reasons for ignoring accesses at present: bits of Header::pause_reasons. Each bit has a single
/// owner that sets and clears it.
enum PauseReason : std::uint32_t {
  kBeforeTime = 1,         ///< --after: recording begins later
  kOutsideMarks = 2,       ///< outside of API marks
  kOutsideIterations = 4,  ///< outside of the first iterations of the marked loop
  kReaderGone = 8          ///< stream mode: the reader has died or given up
};

/// Maximum number of loops; a sparse triangular solve has a loop for each of its levels. Unused
/// pages of the table are never touched.
inline constexpr std::uint32_t kLoops = 2048;
inline constexpr std::size_t kLoopName = 128;  ///< in bytes, with the terminating zero
/// Loop of tasks, as the program declared it (marks.h); if it did not, only the name is set.
struct TaskLoop {
  char name[kLoopName];
  std::uint64_t iterations, chunk, fingerprint;
};

inline constexpr std::uint32_t kReductions = 256;
/// Memory of a process to which tasks add in any order (atoll_mark_reduction).
struct Reduction {
  Offset process;  ///< its ProcessRecord
  std::uint64_t begin, bytes;
};

struct Header {
  std::uint64_t magic;
  std::uint64_t bytes;        ///< the region's size
  std::uint64_t lines_until;  ///< above this value of `used`, new pages have no lines; 0: always
  Mode mode;
  std::int32_t owner;         ///< pid of the reader
  std::uint32_t page_share;   ///< recorded pages in 1/65536, chosen by a hash of their numbers
  std::uint64_t cache_lines;  ///< size of a private cache whose misses are sampled; 0: no sampling
  std::uint64_t started_ns;
  std::atomic<std::uint64_t> used;              ///< bytes allocated
  std::atomic<std::uint64_t> sequence;          ///< counter that orders first accesses and events
  std::atomic<std::uint32_t> epoch;             ///< current epoch, of generation epoch_generation
  std::atomic<std::uint32_t> epoch_generation;  ///< each generation doubles the length of an epoch
  std::atomic<std::uint32_t> pause_reasons;     ///< PauseReason bits; 0: accesses are recorded
  std::uint32_t only_between_marks;             ///< 1: API marks switch kOutsideMarks
  std::uint64_t iterations;                     ///< number of iterations that are recorded; 0: all
  std::atomic<std::uint64_t> iterations_begun;
  std::atomic<Offset> threads, processes, creations;  ///< list heads (the latest entries)
  std::atomic<std::uint64_t> lost_events;             ///< events without room
  /// 1: threads record the lines that each task uses (tasks.hpp), in their rings.
  std::uint32_t by_task;
  std::atomic<std::uint32_t> loops;  ///< recorded tasks: number of loops in task_loops
  TaskLoop task_loops[kLoops];
  std::atomic<std::uint64_t> lost_tasks;  ///< tasks of loops beyond kLoops or with longer names
  std::atomic<std::uint32_t> reductions;  ///< size of `reduced`
  Reduction reduced[kReductions];
  bool loops_taken;          ///< lock of loops and reductions
  std::uint32_t timed;       ///< 1: streams include work, dependence, atomic accesses and waits
  std::uint32_t ring_words;  ///< number of words in a ring at which its thread blocks; 0:
                             ///< kRingWords
  std::atomic<std::uint64_t> releases;  ///< number of releases so far
  std::atomic<Offset> waits;            ///< kWaitObjects WaitObjects (waits.hpp); 0: none yet
  /// Hash table: std::atomic<Offset> of the last PageCounters of each bucket. The size is a power
  /// of two; 0: none.
  Offset page_buckets;
  std::uint64_t page_bucket_count;
  std::uint64_t epoch_ns;                      ///< length of an epoch of generation 0
  std::atomic<std::uint32_t> sees_all_writes;  ///< 1: all writes are observed, of libraries too
};

}  // namespace Atoll::record
