#include "record/waits.hpp"

#include <errno.h>
#include <signal.h>

#include "record/futex.hpp"
#include "record/inside.hpp"

namespace Atoll::record {
namespace {

constexpr std::uint64_t kProbes = 16;

WaitObject* objects() {
  Offset at = header()->waits.load(std::memory_order_acquire);
  if (at == 0) {
    const Offset fresh = allocate_in_region(kWaitObjects * sizeof(WaitObject));
    if (fresh == 0) return nullptr;
    if (header()->waits.compare_exchange_strong(at, fresh)) at = fresh;
  }
  return at_offset<WaitObject>(at);
}

/// Returns the object of `key`; null if memory is short. If all entries near its hash are in use,
/// the key takes over one of them and the state of the other object is lost.
WaitObject* object_of(const ThreadState* thread, std::uint64_t key) {
  WaitObject* const all = objects();
  if (all == nullptr) return nullptr;
  key = (key ^ thread->record->process << 48) | 1;
  const std::uint64_t home = key * 0x9e37'79b9'7f4a'7c15U >> 40;
  for (std::uint64_t i = 0; i < kProbes; ++i) {
    WaitObject& object = all[(home + i) % kWaitObjects];
    std::uint64_t found = object.key.load(std::memory_order_acquire);
    if (found == 0 && object.key.compare_exchange_strong(found, key)) return &object;
    if (found == key) return &object;
  }
  WaitObject& object = all[home % kWaitObjects];
  object.key.store(key);
  object.last = object.given = object.taken = 0;
  object.by = object.count = 0;
  return &object;
}

/// Appends a record of a wait. Its fields follow the clock.
template <RecordKind kind, typename... Fields>
void append_wait(ThreadState* thread, Fields... fields) {
  const auto record = encode_record<kind>(sequence_now(), fields...);
  append(thread, record.words, record.kWords);
}

/// Appends a record of a placement, which may have a mask.
void append_placement(ThreadState* thread, RecordKind kind, const std::uint64_t* words,
                      std::size_t count) {
  std::uint64_t all[2 + kMaxPlacementWords] = {record_word(kind, count + 1), sequence_now()};
  for (std::size_t i = 0; i < count; ++i) all[i + 2] = words[i];
  append(thread, all, count + 2);
}

void sleeps(ThreadState* thread, bool does) {
  thread->record->asleep.store(does ? kAsleep : 0, std::memory_order_release);
}

/// Requests a turn and blocks until the reader of live streams grants it, in simulated time.
/// Returns false if there is no reader any more.
bool wait_for_turn(ThreadState* thread, std::uint64_t key) {
  const int error = errno;
  ThreadRecord& record = *thread->record;
  append_wait<RecordKind::turn>(thread, key);
  const std::uint32_t wanted = record.turns_requested.fetch_add(1) + 1;
  bool has_it = true;
  for (std::uint32_t given;
       (given = record.turns_granted.load(std::memory_order_acquire)) != wanted;) {
    if ((header()->pause_reasons.load(std::memory_order_relaxed) & kReaderGone) != 0) {
      has_it = false;
      break;
    }
    wait_while(record.turns_granted, given, 100'000'000);
    if (::kill(header()->owner, 0) != 0 && errno == ESRCH)
      header()->pause_reasons.fetch_or(kReaderGone);
  }
  errno = error;
  return has_it;
}

/// Returns true for calls that decide the node of pages. Counts need them, too.
bool decides_nodes(RecordKind kind) {
  return kind == RecordKind::policy_of_range || kind == RecordKind::policy_of_thread ||
         kind == RecordKind::pages_moved || kind == RecordKind::pages_cached;
}

}  // namespace

bool wants_waits() {
  return header() != nullptr && header()->timed != 0;
}

void record_wait(ThreadState* thread, WaitReport& report) {
  if (thread->record == nullptr || !wants_waits()) return;
  const bool streams = header()->pause_reasons.load(std::memory_order_relaxed) == 0;
  if (report.call == WaitCall::requests_turn) {
    // If no thread has been created, no other thread can come first. Then only a query (`other` !=
    // 0) waits.
    report.answer =
        streams && thread->record->has_told_end.load() == 0 && header()->ring_words != 0 &&
        (header()->creations.load() != 0 || report.other != 0) && wait_for_turn(thread, report.key);
    return;
  }
  if (report.call == WaitCall::ends_turn) {
    thread->record->turns_ended.store(thread->record->turns_requested.load(),
                                      std::memory_order_release);
    return;
  }
  if (report.call == WaitCall::spins) {
    if (thread->record->asleep.load() != 0) thread->record->asleep.fetch_add(kLookedOnce);
    return;
  }
  WaitObject* const object = object_of(thread, report.key);
  if (object == nullptr) return;
  const auto tid = static_cast<std::uint32_t>(thread->record->tid);
  switch (report.call) {
    case WaitCall::release: {
      if (!streams) {
        object->last.store(0);
        break;
      }
      const std::uint64_t number = header()->releases.fetch_add(1) + 1;
      if (report.count == 0)
        append_wait<RecordKind::released>(thread, number, report.key);
      else
        append_wait<RecordKind::released>(thread, number, report.key, report.count);
      object->by.store(tid, std::memory_order_relaxed);
      object->last.store(number, std::memory_order_release);
      report.other = number;
      break;
    }
    case WaitCall::expects:
      if (const std::uint64_t last = object->last.load(std::memory_order_acquire);
          streams && last != 0)
        append_wait<RecordKind::expects>(thread, last, report.count);
      break;
    case WaitCall::asleep:
      if (streams) append_wait<RecordKind::asleep>(thread, report.key, report.other);
      sleeps(thread, true);
      break;
    case WaitCall::waited:
      if (const std::uint64_t last = object->last.load(std::memory_order_acquire);
          streams && last != 0 && object->by.load(std::memory_order_relaxed) != tid)
        append_wait<RecordKind::waited>(thread, last);
      break;
    case WaitCall::followed:
      if (streams && report.other != 0) append_wait<RecordKind::waited>(thread, report.other);
      break;
    case WaitCall::continued:
      break;
    case WaitCall::participants:
      object->given.store(0);
      object->count.store(report.count);
      break;
    case WaitCall::arrived:
      thread->arrival = object->given.fetch_add(1);
      if (streams) append_wait<RecordKind::asleep>(thread, report.key, 0);
      sleeps(thread, true);
      break;
    case WaitCall::passed:
      if (const std::uint32_t count = object->count.load(); streams && count != 0)
        append_wait<RecordKind::barrier>(thread, report.key, thread->arrival / count, count);
      break;
    case WaitCall::met:
      if (streams) append_wait<RecordKind::barrier>(thread, report.key, report.other, report.count);
      break;
    case WaitCall::value:
      object->given.store(0);
      object->taken.store(0);
      object->count.store(report.count + 1);
      break;
    case WaitCall::posted:
      if (streams)
        append_wait<RecordKind::posted>(thread, report.key, object->given.fetch_add(1) + 1);
      break;
    case WaitCall::tries:
      report.answer = object->count.exchange(1, std::memory_order_acquire) == 0;
      break;
    case WaitCall::gives_up:
      object->count.store(0, std::memory_order_release);
      break;
    case WaitCall::requests_turn:
    case WaitCall::ends_turn:
    case WaitCall::spins:
      break;
    case WaitCall::took_all:
      for (const std::uint64_t given = object->given.load(); object->taken.load() < given;)
        if (const std::uint64_t number = object->taken.fetch_add(1) + 1; streams)
          append_wait<RecordKind::took>(thread, report.key, number);
      break;
    case WaitCall::took: {
      const std::uint64_t taken = object->taken.fetch_add(1) + 1;
      const std::uint32_t first = object->count.load();
      if (streams && first != 0 && taken >= first)
        append_wait<RecordKind::took>(thread, report.key, taken - first + 1);
      break;
    }
  }
  if (ends_sleep(report.call)) sleeps(thread, false);
  if (report.touches != 0)
    record(thread, report.key, static_cast<std::uint32_t>(report.touches), true);
}

void record_placement(ThreadState* thread, std::uint32_t kind, const std::uint64_t* words,
                      std::size_t count) {
  if (thread->record == nullptr || count > kMaxPlacementWords) return;
  const auto of_kind = static_cast<RecordKind>(kind);
  if (wants_waits()) return append_placement(thread, of_kind, words, count);
  if (is_stream() || header()->by_task != 0 || !decides_nodes(of_kind)) return;
  const std::uint64_t record[2] = {record_word(of_kind, count + 1), 0};
  emit(thread, EventKind::placed, record, sizeof record, words, count * sizeof *words);
}

}  // namespace Atoll::record
