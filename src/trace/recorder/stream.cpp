// A thread's ring: written here, drained by `atoll`.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {
namespace {

constexpr int kTurnsToYield = 64, kTurnsToLookForOwner = 1000;

Ring* ring_of(ThreadState* thread) {
  if (thread->ring == 0) thread->ring = take_of_region(sizeof(Ring));
  if (thread->ring != 0 && thread->record->ring.load(std::memory_order_relaxed) == 0)
    thread->record->ring.store(thread->ring, std::memory_order_release);
  return thread->ring == 0 ? nullptr : at_offset<Ring>(thread->ring);
}

/// Until the ring has room for `count` words; false: nobody drains it any more.
bool wait_for_room(const Ring* ring, std::uint64_t count) {
  const int error = errno;
  const std::uint64_t written = ring->written.load(std::memory_order_relaxed);
  bool drained = true;
  for (int turn = 0; written + count - ring->read.load(std::memory_order_acquire) > kRingWords;
       ++turn) {
    if ((header()->held_back.load(std::memory_order_relaxed) & kNobodyReads) != 0) {
      drained = false;
      break;
    }
    if (turn < kTurnsToYield) {
      ::sched_yield();
      continue;
    }
    if (turn % kTurnsToLookForOwner == 0 && ::kill(header()->owner, 0) != 0 && errno == ESRCH) {
      header()->held_back.fetch_or(kNobodyReads);
      drained = false;
      break;
    }
    const timespec moment = {0, 200'000};
    ::nanosleep(&moment, nullptr);
  }
  errno = error;
  return drained;
}

}  // namespace

void append(ThreadState* thread, const std::uint64_t* words, std::size_t count) {
  const Entered entered(thread);
  Ring* ring = entered ? ring_of(thread) : nullptr;
  const std::uint64_t written = ring == nullptr ? 0 : ring->written.load(std::memory_order_relaxed);
  if (ring == nullptr ||
      (written + count - ring->read.load(std::memory_order_acquire) > kRingWords &&
       !wait_for_room(ring, count))) {
    thread->record->stream_lost += 1;
    return;
  }
  for (std::size_t i = 0; i < count; ++i) ring->words[(written + i) % kRingWords] = words[i];
  ring->written.store(written + count, std::memory_order_release);
}

void give_up_ring(ThreadState* thread) {
  if (thread->ring == 0) return;
  wait_for_room(at_offset<Ring>(thread->ring), kRingWords);  // until it is empty
  thread->record->ring.store(0, std::memory_order_release);
}

}  // namespace Atoll::trace::recorder
