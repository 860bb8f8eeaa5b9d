// What the recorder's files share.
#pragma once

#include <time.h>

#include "trace/recorder/recorder.hpp"
#include "trace/recorder/stream_words.hpp"

namespace Atoll::trace::recorder {

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

/// Puts `entry` before the last of a list that others may be adding to.
inline void push(std::atomic<Offset>& last, Offset entry, Offset& previous) {
  previous = last.load(std::memory_order_relaxed);
  while (!last.compare_exchange_weak(previous, entry, std::memory_order_release)) {
  }
}

/// Returns zeroed bytes of the region, aligned to `alignment`; 0 if there are no more.
Offset take_of_region(std::uint64_t bytes, std::uint64_t alignment = 64);
/// Returns bytes of the thread's own room, aligned to 8.
void* take_room(ThreadState* thread, std::uint64_t bytes);

[[nodiscard]] ProcessRecord* this_process();
/// Finds out if this process was forked without libc's knowledge, before it writes something of its
/// own.
void see_fork();
void restart_threads_after_fork();

/// Does what carry() does, inside the recorder, for a line that isn't watched.
void carry_counts(ThreadState* thread, PageCounters* block, std::uint64_t line,
                  std::uint64_t more_reads = 0, std::uint64_t more_writes = 0);

/// Adds what a thread's scratch counters have counted to their page.
void flush_scratch(PageCounters* scratch);

/// Marks the calling thread as inside the recorder. Returns false if it is already (a signal came
/// in between).
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

/// Of a stream: waits while the ring is full, then appends; where events have happened since this
/// thread last appended, a clock comes first, unless the words go on with a loop.
void append(ThreadState* thread, const std::uint64_t* words, std::size_t count,
            bool goes_on = false);
/// By a thread inside the recorder: waits while the ring is full, then puts the words there. False:
/// there is no room, and will be none.
[[nodiscard]] bool put_in_ring(ThreadState* thread, const std::uint64_t* words, std::size_t count);
/// Of a stream, by a thread inside the recorder: an event with the next number, and one that has
/// its number. No other mode numbers threads' events.
[[nodiscard]] std::uint64_t append_event(ThreadState* thread, RecordKind kind);
void append_event(ThreadState* thread, RecordKind kind, std::uint64_t number);
void append_event(ThreadState* thread, RecordKind kind, std::uint64_t number, std::uint64_t address,
                  std::uint64_t bytes);
[[nodiscard]] inline bool is_stream() {
  return header()->mode == Mode::stream;
}
/// The thread ends: once its ring is drained, another thread may get it.
void give_up_ring(ThreadState* thread);

}  // namespace Atoll::trace::recorder
