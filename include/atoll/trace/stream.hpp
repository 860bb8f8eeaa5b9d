// What a stream is made of: the accesses of one thread in their order, and between them the events
// of the run. Events are numbered from 0 by one counter of the run; nothing else orders what two
// threads do. docs/trace-file.md says the same of the file.
#pragma once

#include <cstdint>
#include <span>

namespace Atoll::trace {

inline constexpr std::uint32_t kNone =
    ~std::uint32_t{0};  ///< no such process, thread, site, object
inline constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};  ///< no such event; after all of them

/// What timed streams tell of accesses. Most accesses of a program are alike in this, so accesses
/// have the number of a style (Consumer::style).
struct AccessStyle {
  std::uint32_t instructions = 0;  ///< before it, since the thread's access before
  std::uint32_t divisions = 0;     ///< of these
  /// Of these, floating-point operations that are a chain: each needs the result of the one before,
  /// also of the access before.
  std::uint32_t chain = 0;
  /// Its address comes from the n-th load before it in the thread's order; 0: from none that is
  /// known. A range has its own.
  std::uint32_t depends_on = 0;
  bool atomic = false;
  friend bool operator==(const AccessStyle&, const AccessStyle&) = default;
};
inline constexpr std::uint32_t kAccessStyles = 128;  ///< numbers are below this

/// Work of a timed stream that no access has: before an event, or very long.
struct StreamWork {
  std::uint64_t instructions = 0, divisions = 0, chain = 0;  ///< as AccessStyle has them
  friend bool operator==(const StreamWork&, const StreamWork&) = default;
};

/// What streams carry besides accesses and events.
struct StreamContents {
  bool work = false;        ///< AccessStyle's instructions, divisions and chain; StreamWork
  bool dependence = false;  ///< AccessStyle::depends_on
  bool atomics = false;     ///< AccessStyle::atomic
  friend bool operator==(const StreamContents&, const StreamContents&) = default;
};

/// One access of a stream.
struct Access {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint8_t style = 0;  ///< its number in timed streams; 0: an AccessStyle{}
  friend bool operator==(const Access&, const Access&) = default;
};

/// `n` accesses of a loop, at address + i * step. Ranges of one loop come together; the loop's
/// iteration i makes access i of each that has so many, in their order.
struct AccessRange {
  std::uint64_t address = 0;
  std::int64_t step = 0;
  std::uint64_t n = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint8_t style = 0;        ///< of its accesses, as Access::style
  std::uint16_t depends_on = 0;  ///< of the first access alone, as AccessStyle has it
  friend bool operator==(const AccessRange&, const AccessRange&) = default;
};

/// What happened in a thread between two of its accesses.
struct StreamEvent {
  enum class Kind {
    clock,  ///< no event of its own: `number` events of the run had happened when this thread went
            ///< on
    thread_created,  ///< by this thread; it may not begin, where the system refuses
    thread_begun,    ///< this thread; in a forked child the one that goes on
    thread_ended,    ///< this thread; destructors of its variables may still follow
    thread_joined,   ///< by this thread
    allocated,       ///< memory for an object of the heap, or for more of a pool
    freed,
    mapped,    ///< by the program; or its stack, a module, the memory behind its data, told now
    unmapped,  ///< (bytes 0: as much as was mapped there)
    mark_begin,
    mark_end,
    mark_iteration,
    task_begun,  ///< no events of their own, but clocks, as are the next: what follows in this
                 ///< thread is done for a task, and no longer for the one before
    task_ended,
  };
  Kind kind = Kind::clock;
  std::uint64_t number = 0;
  std::uint64_t address = 0, bytes = 0;  ///< of memory
  /// Who was created or joined: kNone while the program runs, and where it isn't known.
  std::uint32_t thread = kNone;
  std::uint32_t loop = kNone;  ///< of a task that begins: a position in Recording::task_loops
  std::uint64_t task = 0;      ///< its number

  [[nodiscard]] bool is_clock() const {
    return kind == Kind::clock || kind == Kind::task_begun || kind == Kind::task_ended;
  }
  /// So many events have happened for what follows in this thread.
  [[nodiscard]] std::uint64_t clock() const { return is_clock() ? number : number + 1; }
  friend bool operator==(const StreamEvent&, const StreamEvent&) = default;
};

/// In a timed stream: how threads wait for each other. A wait that has ended names what ended it,
/// which happened before in real time; so nobody waits in a circle.
struct StreamWait {
  enum class Kind {
    released,  ///< by this thread: number `release`. `count` threads go on that wait for a turn
               ///< behind it, all if that is 0
    waited,    ///< this thread goes on behind that release
    expects,   ///< `count` other threads go on behind that release of this thread
    barrier,   ///< this thread meets others: `count` with it, at `key`, for the number-th time
    posted,    ///< to the semaphore `key`, for the number-th time
    took,      ///< this thread goes on behind the number-th post to the semaphore `key`
    asleep,    ///< it may have to wait from here until its next record, for `key` or `other_key`
    turn,      ///< of a program that runs: it does the next thing when it is its turn; if there is
               ///< a key, not before that was released once more
  };
  Kind kind = Kind::released;
  std::uint64_t release = 0;             ///< the run's releases are numbered from 1
  std::uint64_t key = 0, other_key = 0;  ///< addresses of the process, or others of its own
  std::uint64_t number = 0;
  std::uint32_t count = 0;
  friend bool operator==(const StreamWait&, const StreamWait&) = default;
};

/// In a timed stream: a call by which the program placed memory or threads, which succeeded.
struct StreamPlacement {
  enum class Kind {
    range_policy,   ///< mbind(): of a range, `mode`, `flags` and `mask` of nodes
    thread_policy,  ///< set_mempolicy(): of what this thread touches first
    moved,          ///< move_pages(): the range is on node `mode` now
    huge_pages,     ///< madvise(): wanted (`mode` 1) or not (0) in a range
    bound,          ///< to the processing units of `mask`: this thread (`thread` 0), or another
    populated,      ///< the kernel maps all pages of a range, as if written (`mode` 1) or read (0)
    discarded,      ///< madvise(MADV_DONTNEED): the range has no pages any more
    remapped,       ///< mremap(): the pages of the range are at address `mode` now
    asked,          ///< a simulated program asks about a range; `mode` is the question
    cached,         ///< mmap(): the page cache had the pages of the range before. The thread with
                    ///< the tid `mode` allocated them; 0: it is unknown which thread did
  };
  Kind kind = Kind::bound;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t mode = 0;
  std::uint32_t flags = 0;                   ///< of mbind()
  std::uint64_t thread = 0;                  ///< 0, a tid, or a pthread_t of the process
  std::span<const std::uint64_t> mask = {};  ///< bit i % 64 of word i / 64; valid during the call
};

/// How a consumer wants its streams.
struct StreamWishes {
  bool ranges = false;   ///< loops as ranges, by Consumer::loop, not as accesses
  unsigned at_once = 1;  ///< streams at most whose calls may come at the same time
};

}  // namespace Atoll::trace
