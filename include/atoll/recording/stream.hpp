// Elements of a stream: the accesses of one thread in their order and, between them, events. One
// counter numbers the events of the run from 0. It is the only order between the records of two
// threads. docs/trace-file.md describes the file format.
#pragma once

#include <cstdint>
#include <span>

namespace Atoll::recording {

inline constexpr std::uint32_t kNone =
    ~std::uint32_t{0};  ///< no such process, thread, site or object
inline constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};  ///< no such event; as an end: never

/// Properties of accesses in timed streams. Many accesses share them, so each access refers to a
/// style by its number (Consumer::style).
struct AccessStyle {
  std::uint32_t instructions = 0;  ///< executed between the thread's previous access and this one
  std::uint32_t divisions = 0;     ///< divisions among these instructions
  /// Floating-point operations among these instructions that form a dependency chain: each needs
  /// the result of the one before it, across accesses too.
  std::uint32_t chain = 0;
  /// The address comes from the n-th load before this access in the thread's order; 0: from no
  /// known load. Ranges use AccessRange::depends_on instead.
  std::uint32_t depends_on = 0;
  bool atomic = false;
  friend bool operator==(const AccessStyle&, const AccessStyle&) = default;
};
inline constexpr std::uint32_t kAccessStyles = 128;  ///< style numbers are smaller

/// Work in a timed stream that belongs to no access: before an event, or too much for an access's
/// style.
struct StreamWork {
  std::uint64_t instructions = 0, divisions = 0, chain = 0;  ///< meaning as in AccessStyle
  friend bool operator==(const StreamWork&, const StreamWork&) = default;
};

/// Optional contents of streams.
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
  std::uint8_t style = 0;  ///< number of its AccessStyle in timed streams; 0: a default AccessStyle
  friend bool operator==(const Access&, const Access&) = default;
};

/// `n` accesses of a loop, at address + i * step for i < n. Ranges of one loop are passed together.
/// Iteration i of the loop makes access i of each range with n > i, in the order of the ranges.
struct AccessRange {
  std::uint64_t address = 0;
  std::int64_t step = 0;
  std::uint64_t n = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint8_t style = 0;        ///< its accesses' style, as Access::style
  std::uint16_t depends_on = 0;  ///< for the first access only, as AccessStyle::depends_on
  friend bool operator==(const AccessRange&, const AccessRange&) = default;
};

/// Event in a thread between two of its accesses.
struct StreamEvent {
  enum class Kind {
    clock,  ///< not an event: sets the thread's clock. `number` events of the run had happened
    thread_created,  ///< by this thread; the new thread may never begin, if the system refuses
    thread_begun,    ///< this thread; in a forked child, the thread that called fork()
    thread_ended,    ///< this thread; destructors of its thread-local variables may follow
    thread_joined,   ///< by this thread
    allocated,       ///< memory for an object of the heap, or for more of a pool
    freed,
    mapped,    ///< by the program, or reported late: its stack, a module, the brk heap
    unmapped,  ///< bytes 0: the whole mapping at the address
    mark_begin,
    mark_end,
    mark_iteration,
    task_begun,  ///< not an event but a clock, like task_ended. The thread's accesses from here on
                 ///< belong to the task
    task_ended,
  };
  Kind kind = Kind::clock;
  std::uint64_t number = 0;
  std::uint64_t address = 0, bytes = 0;  ///< memory that the event is about
  /// Thread that was created or joined; kNone while the program runs, or if unknown.
  std::uint32_t thread = kNone;
  std::uint32_t loop = kNone;  ///< task_begun: index in Recording::task_loops
  std::uint64_t task = 0;      ///< task_begun: the task's number

  [[nodiscard]] bool is_clock() const {
    return kind == Kind::clock || kind == Kind::task_begun || kind == Kind::task_ended;
  }
  /// Returns the thread's clock after this record: the number of events that happened before its
  /// next access.
  [[nodiscard]] std::uint64_t clock() const { return is_clock() ? number : number + 1; }
  friend bool operator==(const StreamEvent&, const StreamEvent&) = default;
};

/// Record of a timed stream: dependencies between waiting threads. A wait that has ended names the
/// event that ended it, which is earlier in real time, so the waits cannot form a cycle.
struct StreamWait {
  enum class Kind {
    released,  ///< by this thread: release number `release`. `count` threads that wait for their
               ///< turn are resumed by it; 0: all
    waited,    ///< this thread resumes after that release
    expects,   ///< `count` other threads resume after that release of this thread
    barrier,   ///< this thread arrives at barrier `key` of `count` threads for the number-th time
    posted,    ///< the number-th post to the semaphore `key`, by this thread
    took,      ///< this thread resumes after the number-th post to the semaphore `key`
    asleep,    ///< this thread may block from here until its next record, on `key` or `other_key`
    turn,      ///< live programs only: this thread requests a turn. If `key` is not 0, it continues
               ///< only after one more release of that key
  };
  Kind kind = Kind::released;
  std::uint64_t release = 0;             ///< releases of the run are numbered from 1
  std::uint64_t key = 0, other_key = 0;  ///< addresses in the process, or other unique numbers
  std::uint64_t number = 0;
  std::uint32_t count = 0;
  friend bool operator==(const StreamWait&, const StreamWait&) = default;
};

/// Record of a timed stream: a successful call by which the program placed memory or threads.
struct StreamPlacement {
  enum class Kind {
    range_policy,   ///< mbind(): `mode`, `flags` and a `mask` of nodes for a range
    thread_policy,  ///< set_mempolicy(): policy for pages that this thread touches first
    moved,          ///< move_pages(): the range is on node `mode` now
    huge_pages,     ///< madvise(): enables (`mode` 1) or disables (0) huge pages in a range
    bound,  ///< this thread (`thread` 0) or another one is bound to the processing units of `mask`
    populated,  ///< the kernel maps all pages of a range, as if by a write (`mode` 1) or a read (0)
    discarded,  ///< madvise(MADV_DONTNEED): the kernel drops the pages of the range
    remapped,   ///< mremap(): the pages of the range move to address `mode`
    asked,      ///< query by a simulated program about a range; `mode` is the kind of query
    cached,  ///< mmap(): the pages of the range were in the page cache before. `mode` is the tid of
             ///< the thread that allocated them; 0: unknown
  };
  Kind kind = Kind::bound;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t mode = 0;
  std::uint32_t flags = 0;                   ///< flags of mbind()
  std::uint64_t thread = 0;                  ///< 0, a tid, or a pthread_t of the process
  std::span<const std::uint64_t> mask = {};  ///< bit i % 64 of word i / 64; valid during the call
};

/// Options of a consumer for the delivery of streams.
struct StreamWishes {
  bool ranges = false;   ///< if true, Consumer::loop gets loops as ranges; else as accesses
  unsigned at_once = 1;  ///< maximum number of streams that are passed concurrently
};

}  // namespace Atoll::recording
