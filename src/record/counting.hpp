// Counting in a page's counters, for the recorder's own files.
#pragma once

#include "record/inside.hpp"

namespace Atoll::record {

/// Returns a page's slot, as a copy: another thread may clear the slot meanwhile.
inline Slot counters_of(ThreadState* thread, std::uint64_t page) {
  const Slot slot = slot_of(thread, page);
  if (__builtin_expect(slot.holds(page << 12), 1) || slot.holds_by_task(page << 12)) return slot;
  return find_block(thread, page);
}

inline constexpr std::uint8_t words_of(std::uint64_t first_byte, std::uint64_t last_byte) {
  return static_cast<std::uint8_t>((2U << ((last_byte & 63U) >> 3)) -
                                   (1U << ((first_byte & 63U) >> 3)));
}

/// Number of accesses by kind.
struct Times {
  std::uint64_t reads, writes;
  bool atomic = false;  ///< the writes are atomic operations; only recorded tasks distinguish them
};

/// Returns true if these counts may be added to a line in a single addition.
inline bool fit(Times times) {
  return times.reads <= kMaxReads && times.writes <= kMaxWrites;
}
inline Line line_of(Times times) {
  return times.reads * kOneRead + times.writes * kOneWrite;
}

/// Adds counts that fit() accepts.
inline void add(ThreadState* thread, PageCounters* block, std::uint64_t line, Line counts,
                std::uint8_t words) {
  Line& here = block->lines[line];
  if ((here & words) != words) or_at_once(here, words);
  add_at_once(here, counts);
  if (__builtin_expect((here & kFull) != 0, 0)) spill_counts(thread, block, line);
}

inline void add(ThreadState* thread, PageCounters* block, std::uint64_t line, Times times,
                std::uint8_t words) {
  if (__builtin_expect(fit(times), 1)) return add(thread, block, line, line_of(times), words);
  or_at_once(block->lines[line], words);
  spill_counts(thread, block, line, times.reads, times.writes);
}

/// Adds counts to a line, or records a use by the current task if the slot's page has stamps.
inline void add(ThreadState* thread, const Slot& page, std::uint64_t address, Times times,
                std::uint8_t words) {
  const std::uint64_t line = (address >> 6) & 63U;
  if (__builtin_expect(page.holds_by_task(address), 0))
    return use_in_task(thread, page.block->lines[line], address >> 6,
                       use_of(words, times.reads != 0, times.writes != 0, times.atomic));
  add(thread, page.block, line, times, words);
}

/// Counts accesses to the bytes from `address` to `last`, which are in one or two lines. `words`
/// are the words accessed in the first line.
inline void count(ThreadState* thread, std::uint64_t address, std::uint64_t last, Times times,
                  std::uint8_t words, std::uint8_t words_of_second) {
  Slot page = counters_of(thread, address >> 12);
  add(thread, page, address, times, words);
  if (__builtin_expect((address ^ last) < 64, 1)) return;
  // Both lines count the access; split_accesses counts it once.
  if (thread->record != nullptr && page.block != thread->ignored)
    thread->record->split_accesses += times.reads + times.writes;
  page = counters_of(thread, last >> 12);
  add(thread, page, last, times, words_of_second);
}

/// Counts accesses of `bytes` (1 to 64) at one address.
inline void count(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, Times times) {
  const std::uint64_t last = address + bytes - 1;
  const bool one_line = (address ^ last) < 64;
  count(thread, address, last, times, words_of(address, one_line ? last : 63), words_of(0, last));
}

void count_walk(ThreadState* thread, const Walk& walk);
void stream_walk(ThreadState* thread, const Walk& walk, bool more);

}  // namespace Atoll::record
