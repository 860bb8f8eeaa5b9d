// The layout of the shared memory that watched processes record into. `atoll` creates it, owns it
// and reads it after the program's death, however it dies. So everything here is valid at every
// moment (what is linked into a list is complete), and nothing is a pointer: processes map the
// memory at different addresses. Fresh memory is zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::trace::recorder {

inline constexpr std::uint64_t kMagic = 0x316c6c6f7461;  // "atoll1"
inline constexpr char kVariable[] = "ATOLL_RECORDING";   ///< in the environment: the region's path

/// An offset in bytes from the region's start; 0 is none.
using Offset = std::uint64_t;

/// What a thread did to a line, in one word, so that counting an access is one load and one store.
/// The upper half has reads, then come writes. In the lowest byte, bit i is set if 8-byte word i
/// was accessed. A count that reaches the highest bit of its half goes to a Carry.
using Line = std::uint64_t;
inline constexpr Line kOneWrite = Line{1} << 8, kOneRead = Line{1} << 32;
inline constexpr Line kWords = kOneWrite - 1;
inline constexpr Line kFull = Line{1} << 63 | Line{1} << 31;
/// More must not be added at a time. Code that counts may overfill a line by up to 63 at once, and
/// a watched line (below) seems full from the beginning.
inline constexpr Line kHalfFull = kFull >> 1;
inline constexpr std::uint64_t kMaxReads = (Line{1} << 30) - 64, kMaxWrites = (Line{1} << 22) - 64;
inline constexpr std::uint64_t reads_of(Line line) {
  return line / kOneRead;
}
inline constexpr std::uint64_t writes_of(Line line) {
  return line % kOneRead / kOneWrite;
}

/// Returns a mask of epochs of generation `from` in the longer epochs of generation `to`: an epoch
/// of one generation is a pair of those before.
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

// This is one instruction if there is one, so what a signal handler counts there isn't lost.
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

// With tasks (tasks.hpp), a line of PageCounters has no counts. Its upper 40 bits are the stamp of
// the last task that used the line; then come the words that this task updated by an atomic
// operation, those that it wrote otherwise, and those that it read, a bit each.
inline constexpr Line kOneStamp = Line{1} << 24, kOneAtomicWord = Line{1} << 16,
                      kOneWrittenWord = Line{1} << 8;
/// Returns what a use of these words adds to a line.
inline constexpr Line use_of(std::uint8_t words, bool reads, bool writes, bool atomic) {
  return (reads ? words : Line{0}) |
         (writes ? words * (atomic ? kOneAtomicWord : kOneWrittenWord) : Line{0});
}

/// What one thread did to one page, by lines.
struct PageCounters {
  Line lines[64];
  std::uint64_t page;          ///< address >> 12
  std::uint64_t epochs;        ///< bit i: accessed in epoch i, of the length epoch_generation
  std::uint64_t first_access;  ///< of Header::sequence
  std::uint16_t epoch_generation;
  std::uint16_t first_uses;  ///< of words, in the generations that count; without SampledPage's
  std::uint32_t generation;  ///< of its thread's (misses.hpp), when it was last watched; 0: never
  Offset previous;           ///< the thread's counters before these
  std::uint64_t watched;     ///< bit i: line i is watched: both of its kFull aren't counts
  /// Bit i: line i was used in the generation before `generation`, or never.
  std::uint64_t used_before;
  float misses;    ///< in the generations that count, but for lines' first uses
  float accesses;  ///< in those that tell of reuse, without SampledPage's; -1 after the first
  Offset thread;   ///< its ThreadRecord
  Offset next_in_bucket;              ///< of Header::page_buckets
  std::atomic<Offset> invalidations;  ///< Invalidations; 0: none yet
  std::atomic<std::uint32_t> shared;  ///< 1: other threads of the process use the page, too
  std::uint32_t filled;               ///< 1: the system filled the page for the thread, first
};
static_assert(offsetof(PageCounters, lines) == 0 && sizeof(PageCounters) == 608);

/// Returns the counts of a line.
inline constexpr Line counts_of(const PageCounters& block, std::size_t line) {
  return (block.watched >> line & 1U) != 0 ? block.lines[line] & ~kFull : block.lines[line];
}
/// Sums of a page's counters: accesses, without those that went to a Carry; words and lines that
/// were accessed.
struct PageSums {
  std::uint64_t accesses = 0;
  std::uint32_t words = 0, lines = 0;
};
inline constexpr PageSums sum_of_counts(const PageCounters& block) {
  PageSums sum;
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t words = 0;  // of eight lines, so that their bits are counted at once
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

/// A page that is watched in the present generation, and its sums when that began.
struct SampledPage {
  Offset block;
  PageSums before;
  float misses_before;
  float unused;
};
/// True if the generation tells of reuse. The page's first doesn't, nor does the next, in which a
/// walk may still be in the page: what is used again then belongs to the same visit, so these hits
/// don't come again.
inline constexpr bool tells_of_reuse(const PageCounters& block, const PageSums& before) {
  return before.lines != 0 && block.accesses >= 0;
}
/// In first_access: all that the thread did to the page until then was taken back.
inline constexpr std::uint64_t kTakenBack = ~std::uint64_t{0};

/// The same without lines, for when memory for PageCounters is short.
struct PageRecord {
  std::uint64_t page, epochs, first_access, reads, writes;
  std::uint16_t epoch_generation;
  std::uint16_t sampled;  ///< 1: `reads` says what other records count of one epoch, once more
  std::uint16_t unused[2];
  Offset previous;
};

/// What a line of PageCounters had counted when it was full.
struct Carry {
  Offset block;
  std::uint64_t line;
  std::uint64_t reads, writes;
  Offset previous;
};

/// A soft TLB's entry: where the page's counters are in this process.
struct Slot {
  std::uint64_t begin;  ///< the page's first address; kEmpty: none
  PageCounters* block;  ///< to count in; for a page without lines, scratch counters
  [[nodiscard]] bool holds(std::uint64_t address) const { return address - begin < 4096; }
  /// The same of a page whose lines have stamps of tasks: code that counts doesn't find it.
  [[nodiscard]] bool holds_by_task(std::uint64_t address) const {
    return address - (begin ^ kByTask) < 4096;
  }
  static constexpr std::uint64_t kByTask = std::uint64_t{1} << 62;
};
/// No address of a program is in the 4096 bytes from here on.
inline constexpr std::uint64_t kEmpty = std::uint64_t{1} << 63;
inline constexpr std::size_t kSlots = 4096;
inline constexpr std::size_t kMaxScratch = 64;

/// Of a timed stream: what a thread has done since its last access that was told. Front ends add to
/// it, compiled code inline.
struct TimedCounts {
  std::uint64_t instructions;
  std::uint64_t slow;   ///< divisions in the lower half; in the upper one the steps of a chain
  std::uint64_t loads;  ///< ever: a load's number is how many there were with it
  std::uint64_t steps;  ///< iterations of the loop that is stepped through
};
inline constexpr std::uint64_t kOneDivision = 1, kOneChainStep = std::uint64_t{1} << 32;

/// One thread in one process (after a fork, the child's thread is another one).
struct ThreadRecord {
  Offset previous;  ///< in Header::threads
  Offset process;   ///< its ProcessRecord
  std::int32_t tid;
  std::atomic<std::uint32_t> asleep;    ///< of a timed stream: it waits for others (waits.hpp)
  std::uint64_t started_ns;             ///< CLOCK_MONOTONIC
  std::atomic<std::uint64_t> ended_ns;  ///< 0: it lives, or died unseen
  std::atomic<Offset> blocks, pages, carries;  ///< the last of each list
  std::atomic<Offset> events;                  ///< the last Event
  std::atomic<Offset> state;     ///< of its ThreadState, whose slots the ticker clears; 0: freed
  std::uint64_t split_accesses;  ///< those that were counted in two lines
  Offset scratch;                ///< PageCounters: what pages without lines have not been given yet
  std::uint64_t scratch_blocks;  ///< a power of two up to kMaxScratch
  Offset ignored;  ///< PageCounters: the sum of what isn't to be recorded (partial tracing)
  Offset dropped;  ///< PageCounters: the sum of what had no room
  std::uint64_t ignored_before, dropped_before;  ///< what those had counted when they were full
  std::atomic<Offset> sampled;                   ///< SampledPages of the present generation
  std::atomic<std::uint64_t> sampled_pages;      ///< how many; 0: the generation doesn't count
  std::uint64_t new_pages;   ///< those first used in a generation that counts …
  double new_page_uses;      ///< … sum of their accesses by words then, 4 at most
  std::atomic<Offset> ring;  ///< of a stream: its Ring, while it has one
  std::uint64_t
      stream_lost;       ///< accesses of signal handlers that came while one was being recorded
  std::uint64_t number;  ///< its pthread_t; 0: unknown
  /// Of a stream: the numbers of its events, 1 added; 0: there was none.
  std::atomic<std::uint64_t> begun_event, ended_event;
  /// Turns (waits.hpp) that the thread has asked for, was given (a futex, the reader's), and that
  /// are over; whether it has told of its end: it gets none any more, even if it goes on.
  std::atomic<std::uint32_t> turns_wanted, turns_given, turns_over, has_told_end;
  std::atomic<std::uint32_t> computes;  ///< 1: an emulator runs its code. 0: it is in a system
                                        ///< call, or has no emulator
  std::uint64_t started_after;          ///< Header::sequence when it was recorded first
};

/// A thread was created: recorded by its creator, as threads begin in another order, or never.
struct CreationRecord {
  Offset previous;  ///< in Header::creations
  Offset process;   ///< its ProcessRecord
  std::uint64_t created_ns;
  std::int32_t creator_tid;
  std::atomic<std::int32_t> tid;  ///< 0: it hasn't begun; kNotCreated: the system refused
  std::uint32_t site;             ///< where; 0: unknown
  std::uint32_t unused;
  std::uint64_t after;  ///< Header::sequence then
  std::uint64_t event;  ///< of a stream: the event's number, 1 added; 0: there was none
};
inline constexpr std::int32_t kNotCreated = -1;

struct ProcessRecord {
  Offset previous;  ///< in Header::processes
  Offset parent;    ///< ProcessRecord; 0: the first
  std::int32_t pid;
  std::int32_t parent_pid;
  std::uint64_t created_ns;  ///< when its parent forked it; 0: unknown
  std::uint64_t started_ns;
  std::atomic<std::uint64_t> ended_ns;
  std::atomic<std::uint32_t> exit_code;  ///< that it was about to end with, kExits added; 0: none
  std::uint64_t forked_after;            ///< so many events, 1 added; 0: unknown
};
inline constexpr std::uint32_t kExits = 256;

/// An event, which is anything but an access. The payload follows, with `bytes` bytes.
enum class EventKind : std::uint32_t {
  program = 1,  ///< Text: the executable's path, then each argument, each with its final zero
  module,       ///< ModuleLoaded, then the path
  site,         ///< SiteSeen, then its return addresses, innermost first
  allocated,    ///< Allocated
  freed,        ///< Freed
  slab,         ///< Allocated: a run of pages that a pool got, all for its site's small allocations
  small,        ///< SmallAllocations: what a pool has had since the last of these
  creating,     ///< Creating: of a guest's thread, which is about to create another
  stack,        ///< Allocated, site unused: the thread's own stack
  name,         ///< Named, then the text with its final zero
  mapped,       ///< Mapped, then the file's path with its final zero ("": it has none)
  unmapped,     ///< Freed
  affinity,     ///< Bound: the thread was bound to processing units by the program
  mark,         ///< Marked: an API mark
  joined,       ///< Joined, by who waited for it
  detached,     ///< Detached
  brk,          ///< Allocated, site unused: what the memory behind the program's data grew by
  described,    ///< Allocated, site unused, then the text with its final zero: how the program
                ///< calls memory that it has
  placed,       ///< a stream's record from policy_of_range on: its first word, a 0, its words
};

struct Event {
  Offset previous;         ///< of the same thread
  std::uint64_t sequence;  ///< of Header::sequence: orders events and first accesses
  std::uint64_t time_ns;   ///< CLOCK_MONOTONIC
  EventKind kind;
  std::uint32_t bytes;
};

struct ModuleLoaded {
  std::uint64_t bias;        ///< address = bias + the file's virtual address
  std::uint64_t begin, end;  ///< addresses
};
/// A site's number is its process's own, from 1.
struct SiteSeen {
  std::uint32_t site, levels;
};
struct Allocated {
  std::uint64_t address, bytes;
  std::uint32_t site, unused;
};
/// What is behind addresses that were mapped.
enum class Behind : std::uint32_t {
  own,               ///< zeroed memory of the process's own
  shared_anonymous,  ///< of this mapping, and of those that inherit it
  shared_file,       ///< the file's page cache
  private_file,      ///< the same, until the process writes
  system_v,          ///< System V's shared memory
  moved              ///< by mremap: what was behind the addresses from `offset` on
};
struct Mapped {
  Allocated range;
  std::uint64_t device, inode, offset;  ///< of the file; System V: inode is the segment's number
  Behind behind;
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
  std::uint32_t site;  ///< 0: it didn't after all
};
struct Named {
  std::int32_t tid;
};
struct Bound {
  std::int32_t tid, pu;  ///< pu -1: several
};
/// By the program's numbers of threads, which come again: of those with this number the last that
/// was created before the wait began, or before this event.
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

/// A stream's records lie in a ring of words (stream_words.hpp) that the parent drains; a full ring
/// makes the thread wait, nothing is dropped. Written by the thread, read by the parent.
struct Ring {
  // Each has a line of its own: its writer would wait for the other's reader.
  alignas(64) std::atomic<std::uint64_t> written;  ///< words ever
  alignas(64) std::atomic<std::uint64_t> read;
  std::atomic<std::uint32_t> waits;  ///< a futex: 1 while the writer waits for room
  alignas(64) std::uint64_t words[kRingWords];
};

enum class Mode : std::uint32_t {
  counts,
  stream,
  samples  ///< accesses come from outside: what instrumented code does is not recorded
};

/// Why accesses are ignored for now: bits of Header::held_back. Each has one that sets and clears
/// it.
enum HeldBack : std::uint32_t {
  kBeforeTime = 1,         ///< the parent lets recording begin later
  kOutsideMarks = 2,       ///< only what lies between API marks is recorded
  kOutsideIterations = 4,  ///< none of the first iterations of the marked loop
  kNobodyReads = 8         ///< a stream whose reader has died or given up
};

/// At most; a sparse triangular solve has a loop for each of its levels. Pages of the table that no
/// loop needs are never touched.
inline constexpr std::uint32_t kLoops = 2048;
inline constexpr std::size_t kLoopName = 128;  ///< bytes, with the final zero
/// A loop of tasks, as the program tells of it (marks.h); without a call, its name alone.
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
  std::uint64_t lines_until;  ///< used bytes from which on new pages are recorded without lines; 0:
                              ///< none has any
  Mode mode;
  std::int32_t owner;        ///< pid of the process that reads this
  std::uint32_t page_share;  ///< of 65536: pages recorded, chosen by a hash of their number
  std::uint64_t
      cache_lines;  ///< of a core's private cache, whose misses are sampled; 0: they aren't
  std::uint64_t started_ns;
  std::atomic<std::uint64_t> used;              ///< bytes given out
  std::atomic<std::uint64_t> sequence;          ///< orders first accesses and events
  std::atomic<std::uint32_t> epoch;             ///< now, of generation epoch_generation
  std::atomic<std::uint32_t> epoch_generation;  ///< each doubles an epoch's length
  std::atomic<std::uint32_t> held_back;         ///< HeldBack; 0: accesses are recorded
  std::uint32_t only_between_marks;             ///< API marks switch kOutsideMarks
  std::uint64_t iterations;                     ///< only the first so many are recorded; 0: all
  std::atomic<std::uint64_t> iterations_begun;
  std::atomic<Offset> threads, processes, creations;  ///< the last of each list
  std::atomic<std::uint64_t> lost_events;             ///< for want of memory
  /// 1: threads tell which lines each task uses (tasks.hpp), through their rings.
  std::uint32_t by_task;
  std::atomic<std::uint32_t> loops;  ///< with tasks: how many have a name
  TaskLoop task_loops[kLoops];
  std::atomic<std::uint64_t> lost_tasks;  ///< of loops beyond kLoops or with longer names
  std::atomic<std::uint32_t> reductions;  ///< how many of the next are told
  Reduction reduced[kReductions];
  bool loops_taken;          ///< a lock of loops and reductions
  std::uint32_t timed;       ///< 1: a stream has work, dependence, atomic accesses and waits, too
  std::uint32_t ring_words;  ///< a thread waits while so many of its words weren't taken; 0: all
  std::atomic<std::uint64_t> releases;  ///< that were numbered
  std::atomic<Offset> waits;            ///< kWaitObjects WaitObjects (waits.hpp); 0: none yet
  /// std::atomic<Offset> of the last PageCounters with this hash; a power of two, 0: there are
  /// none.
  Offset page_buckets;
  std::uint64_t page_bucket_count;
  std::uint64_t epoch_ns;                      ///< the length of an epoch of generation 0
  std::atomic<std::uint32_t> sees_all_writes;  ///< 1: of the program and all of its libraries
};

}  // namespace Atoll::trace::recorder
