// Elements of a stream: the accesses of one thread in their order and, between them, events. One
// counter numbers the events of the run from 0. It is the only order between the records of two
// threads. docs/trace-file.md describes the file format.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/record/access_style.hpp"
#include "atoll/record/record_kinds.hpp"

namespace Atoll::recording {

inline constexpr std::uint32_t kNone =
    ~std::uint32_t{0};  ///< no such process, thread, site or object
inline constexpr std::uint64_t kNoEvent = ~std::uint64_t{0};  ///< no such event; as an end: never

using record::AccessStyle;
using record::kAccessStyles;
using record::RecordKind;
using record::Work;

/// Optional contents of streams.
struct StreamContents {
  bool work = false;        ///< AccessStyle::work; Consumer::work
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

/// Event in a thread between two of its accesses, or a record that sets the thread's clock.
struct StreamEvent {
  RecordKind kind = RecordKind::clock;   ///< of group event or task
  std::uint64_t number = 0;              ///< the event's own; for a clock: number of earlier events
  std::uint64_t address = 0, bytes = 0;  ///< memory that the event is about
  /// Thread that was created or joined; kNone while the program runs, or if unknown.
  std::uint32_t thread = kNone;
  std::uint32_t loop = kNone;  ///< task_begun: index in Recording::task_loops
  std::uint64_t task = 0;      ///< task_begun: the task's number

  [[nodiscard]] bool is_clock() const {
    const record::RecordRow* row = record::find_row(kind);
    return row != nullptr && row->is_clock();
  }
  /// Returns the thread's clock after this record: the number of events that happened before its
  /// next access.
  [[nodiscard]] std::uint64_t clock() const { return is_clock() ? number : number + 1; }
  friend bool operator==(const StreamEvent&, const StreamEvent&) = default;
};

/// Record of a timed stream: dependencies between waiting threads. A wait that has ended names the
/// event that ended it, which is earlier in real time, so the waits cannot form a cycle.
struct StreamWait {
  RecordKind kind = RecordKind::released;  ///< of group wait
  std::uint64_t release = 0;               ///< releases of the run are numbered from 1
  std::uint64_t key = 0, other_key = 0;    ///< addresses in the process, or other unique numbers
  std::uint64_t number = 0;                ///< of the barrier's round, or of the semaphore's post
  std::uint32_t count = 0;
  friend bool operator==(const StreamWait&, const StreamWait&) = default;
};

/// Record of a timed stream: a successful call by which the program placed memory or threads.
struct StreamPlacement {
  RecordKind kind = RecordKind::bound;  ///< of group placement
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t mode = 0;         ///< mode of mbind() or set_mempolicy()
  std::uint32_t flags = 0;        ///< flags of mbind()
  std::uint64_t node = 0;         ///< pages_moved
  bool enabled = false;           ///< huge_pages
  bool by_write = false;          ///< pages_populated
  std::uint64_t new_address = 0;  ///< pages_remapped
  std::uint64_t query = 0;        ///< pages_asked
  std::uint64_t thread = 0;       ///< bound, pages_cached: 0, a tid, or a pthread_t of the process
  std::span<const std::uint64_t> mask = {};  ///< bit i % 64 of word i / 64; valid during the call
};

/// Options of a consumer for the delivery of streams.
struct StreamWishes {
  bool ranges = false;   ///< if true, Consumer::loop gets loops as ranges; else as accesses
  unsigned at_once = 1;  ///< maximum number of streams that are passed concurrently
};

}  // namespace Atoll::recording
