// Ring of a thread: written here, drained by `atoll`.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "record/futex.hpp"
#include "record/inside.hpp"
#include "record/timed.hpp"

namespace Atoll::record {
namespace {

constexpr int kTurnsToYield = 64, kTurnsToLookForOwner = 64;

Ring* ring_of(ThreadState* thread) {
  if (thread->ring == 0) thread->ring = allocate_in_region(sizeof(Ring));
  if (thread->ring != 0 && thread->record->ring.load(std::memory_order_relaxed) == 0)
    thread->record->ring.store(thread->ring, std::memory_order_release);
  return thread->ring == 0 ? nullptr : at_offset<Ring>(thread->ring);
}

/// Returns the number of words that a ring may hold.
std::uint64_t room_of_ring() {
  const std::uint32_t limit = header()->ring_words;
  return limit == 0 ? kRingWords : limit;
}

/// Returns true for the record of an event: no access, range, work or style.
bool is_event(std::uint64_t word) {
  return kind_of(word) == WordKind::other && record_kind_of(word) != RecordKind::work &&
         record_kind_of(word) != RecordKind::style;
}

/// Blocks until the ring has room for `count` words within `room` words. Returns false if no
/// process drains it any more.
bool wait_for_room(Ring* ring, std::uint64_t count, std::uint64_t room) {
  const int error = errno;
  const std::uint64_t written = ring->written.load(std::memory_order_relaxed);
  bool drained = true;
  for (int turn = 0; written + count - ring->read.load(std::memory_order_acquire) > room; ++turn) {
    if ((header()->pause_reasons.load(std::memory_order_relaxed) & kReaderGone) != 0) {
      drained = false;
      break;
    }
    if (turn < kTurnsToYield) {
      ::sched_yield();
      continue;
    }
    if (turn % kTurnsToLookForOwner == 0 && ::kill(header()->owner, 0) != 0 && errno == ESRCH) {
      header()->pause_reasons.fetch_or(kReaderGone);
      drained = false;
      break;
    }
    if (header()->ring_words == 0) {
      const timespec moment = {0, 200'000};
      ::nanosleep(&moment, nullptr);
      continue;
    }
    // A live reader may read the ring only much later; it wakes this thread.
    ring->waits.store(1);
    if (written + count - ring->read.load() > room) wait_while(ring->waits, 1, 20'000'000);
    ring->waits.store(0);
  }
  errno = error;
  return drained;
}

}  // namespace

bool put_in_ring(ThreadState* thread, const std::uint64_t* words, std::size_t count) {
  Ring* ring = ring_of(thread);
  if (ring == nullptr) return false;
  const std::uint64_t written = ring->written.load(std::memory_order_relaxed);
  // An event's library may hold a lock that other threads wait for, so events may use the whole
  // ring.
  const std::uint64_t room = is_event(*words) ? kRingWords : room_of_ring();
  if (written + count - thread->ring_read > room) {
    if (!wait_for_room(ring, count, room)) return false;
    thread->ring_read = ring->read.load(std::memory_order_relaxed);
  }
  const std::uint64_t at = written % kRingWords;
  if (count == 1) {  // most accesses
    ring->words[at] = *words;
    ring->written.store(written + 1, std::memory_order_release);
    return true;
  }
  const std::uint64_t until_end = count < kRingWords - at ? count : kRingWords - at;
  for (std::uint64_t i = 0; i < until_end; ++i) ring->words[at + i] = words[i];
  for (std::uint64_t i = until_end; i < count; ++i) ring->words[i - until_end] = words[i];
  ring->written.store(written + count, std::memory_order_release);
  return true;
}

void append(ThreadState* thread, const std::uint64_t* words, std::size_t count, bool goes_on) {
  detect_fork();
  if (thread->record == nullptr) return;
  const Entered entered(thread);
  if (!entered) {
    thread->record->stream_lost += 1;
    return;
  }
  const std::uint64_t now = header()->sequence.load(std::memory_order_relaxed);
  if (__builtin_expect(now != thread->clock, 0) && !goes_on) {
    const auto clock = encode_record<RecordKind::clock>(now);
    if (put_in_ring(thread, clock.words, clock.kWords)) thread->clock = now;
  }
  if (!put_in_ring(thread, words, count)) thread->record->stream_lost += 1;
}

std::uint64_t append_event(ThreadState* thread, RecordKind kind) {
  const std::uint64_t number = header()->sequence.fetch_add(1, std::memory_order_relaxed);
  append_event(thread, kind, number);
  return number;
}

void append_event(ThreadState* thread, RecordKind kind, std::uint64_t number, std::uint64_t address,
                  std::uint64_t bytes) {
  if (header()->timed != 0) put_work(thread);
  const std::size_t fields = find_row(kind)->required;
  const std::uint64_t words[4] = {record_word(kind, fields), number, address, bytes};
  if (put_in_ring(thread, words, 1 + fields)) thread->clock = number + 1;
}

void release_ring(ThreadState* thread) {
  if (thread->ring == 0) return;
  wait_for_room(at_offset<Ring>(thread->ring), kRingWords, kRingWords);  // until it is empty
  thread->record->ring.store(0, std::memory_order_release);
}

}  // namespace Atoll::record
