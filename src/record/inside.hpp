// Declarations that the recorder's files share.
#pragma once

#include <time.h>

#include "record/recorder.hpp"
#include "record/stream_words.hpp"

namespace Atoll::record {

template <typename T>
T* at_offset(Offset offset) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uint8_t*>(header()) + offset);
}
inline Offset offset_of(const void* address) {
  return static_cast<Offset>(static_cast<const std::uint8_t*>(address) -
                             reinterpret_cast<const std::uint8_t*>(header()));
}

inline std::uint64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Prepends `entry` to a list. Other threads may do so concurrently.
inline void push(std::atomic<Offset>& last, Offset entry, Offset& previous) {
  previous = last.load(std::memory_order_relaxed);
  while (!last.compare_exchange_weak(previous, entry, std::memory_order_release)) {
  }
}

/// Allocates zeroed bytes of the region, aligned to `alignment`; returns 0 if the region is full.
Offset allocate_in_region(std::uint64_t bytes, std::uint64_t alignment = 64);
/// Allocates zeroed bytes, aligned to 8, of the thread's own memory in the region; returns null if
/// the region is full.
void* allocate_in_room(ThreadState* thread, std::uint64_t bytes);

[[nodiscard]] ProcessRecord* this_process();
/// Detects a fork that bypassed libc. Must be called before the process writes a record of its own.
void detect_fork();
void restart_threads_after_fork();

/// Like spill_counts(), for a thread inside the recorder and a line that is not watched.
void carry_counts(ThreadState* thread, PageCounters* block, std::uint64_t line,
                  std::uint64_t more_reads = 0, std::uint64_t more_writes = 0);

/// Adds the counts in scratch counters to their page.
void flush_scratch(PageCounters* scratch);

/// Marks the calling thread as inside the recorder. Converts to false if it was already, that is,
/// in a signal handler that interrupted the recorder.
class Entered {
 public:
  explicit Entered(ThreadState* thread) : thread_(thread), first_(thread->busy == 0) {
    if (first_) thread->busy = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Entered() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (first_) thread_->busy = 0;
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  explicit operator bool() const { return first_; }

 private:
  ThreadState* thread_;
  bool first_;
};

/// Stream mode: appends words to the ring, blocking while it is full. If events have happened since
/// this thread last appended, it appends a clock first, unless `goes_on`: the words continue a
/// loop.
void append(ThreadState* thread, const std::uint64_t* words, std::size_t count,
            bool goes_on = false);
/// Appends words to the ring, blocking while it is full. The caller must be inside the recorder.
/// Returns false if there is no room and will be none.
[[nodiscard]] bool put_in_ring(ThreadState* thread, const std::uint64_t* words, std::size_t count);
/// Stream mode, inside the recorder: appends an event with the next number, or with a given number.
/// In other modes, threads' events have no numbers. Events without memory ignore `address` and
/// `bytes`.
[[nodiscard]] std::uint64_t append_event(ThreadState* thread, RecordKind kind);
void append_event(ThreadState* thread, RecordKind kind, std::uint64_t number,
                  std::uint64_t address = 0, std::uint64_t bytes = 0);
/// Returns the number of events so far: the clock of a record.
[[nodiscard]] inline std::uint64_t sequence_now() {
  return header()->sequence.load(std::memory_order_relaxed);
}
[[nodiscard]] inline bool is_stream() {
  return header()->mode == Mode::stream;
}
/// Releases the thread's ring for other threads, once it is drained.
void release_ring(ThreadState* thread);

}  // namespace Atoll::record
