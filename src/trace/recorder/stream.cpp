// A thread's ring: written here, drained by `atoll`.
#include <sched.h>
#include <time.h>

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {
namespace {

Ring* ring_of(ThreadState* thread) {
  ThreadRecord* record = thread->record;
  if (record->ring == 0)
    record->ring = take_of_region(sizeof(Ring));
  return record->ring == 0 ? nullptr : at_offset<Ring>(record->ring);
}

/// Until there is room: the parent drains every few milliseconds.
void wait_for_room(const Ring* ring, std::uint64_t written, std::size_t count) {
  for (int turn = 0; written + count - ring->read.load(std::memory_order_acquire) > kRingWords;
       ++turn) {
    if (turn < 64) {
      ::sched_yield();
      continue;
    }
    const timespec moment = {0, 200'000};
    ::nanosleep(&moment, nullptr);
  }
}

}  // namespace

void append(ThreadState* thread, const std::uint64_t* words, std::size_t count) {
  const Entered entered(thread);
  Ring* ring = entered ? ring_of(thread) : nullptr;
  if (ring == nullptr) {
    thread->record->stream_lost += 1;
    return;
  }
  const std::uint64_t written = ring->written.load(std::memory_order_relaxed);
  if (written + count - ring->read.load(std::memory_order_acquire) > kRingWords)
    wait_for_room(ring, written, count);
  for (std::size_t i = 0; i < count; ++i) ring->words[(written + i) % kRingWords] = words[i];
  ring->written.store(written + count, std::memory_order_release);
}

}  // namespace Atoll::trace::recorder
