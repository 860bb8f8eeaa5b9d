// Timed streams, for the recorder's own files: styles of accesses, and work that belongs to no
// access.
#pragma once

#include "record/inside.hpp"

namespace Atoll::record {

/// Styles that a thread has recorded, in the region. A hash table finds them.
struct StyleTable {
  static constexpr std::size_t kBuckets = 256;
  std::uint64_t styles[kStyles][2];  ///< by index: the two words of a style's record
  std::uint8_t buckets[kBuckets][2];
  std::uint32_t next;          ///< the next new style gets index `next` + 1
  Timing walks[kWalksOfLoop];  ///< timings of ThreadState::walks
};

/// Returns true if the thread's stream is timed.
inline bool is_timed_stream(const ThreadState* thread) {
  return thread->record != nullptr && header()->timed != 0 && is_stream();
}

/// Returns the distance in loads from an access that follows `loads` loads back to the load
/// `number`. Returns 0 if `number` is no load, or so old that its data has certainly arrived.
inline std::uint32_t loads_back(std::uint64_t loads, std::uint64_t number) {
  constexpr std::uint64_t kFarthest = 63;
  if (number == 0 || number > loads) return 0;
  const std::uint64_t back = loads + 1 - number;
  return back > kFarthest ? 0 : static_cast<std::uint32_t>(back);
}

/// Appends an access or a range. Adds the style to its first word.
void append_styled(ThreadState* thread, std::uint64_t* words, std::size_t count, const Style& style,
                   bool goes_on);
/// Records the work since the last access, if any. The caller must be inside the recorder.
void put_work(ThreadState* thread);
/// Called before a range: records the work since the last access if it is large, or if it has
/// steps, whose position matters.
void record_work_before_range(ThreadState* thread);
/// Called when a thread begins.
void forget_styles(ThreadState* thread);
/// Returns the thread's table, creating it if necessary; null if memory is short.
StyleTable* style_table(ThreadState* thread);

/// As record_range(), with a style. Its depends_on applies to the first access only.
void stream_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more, const Style& style);

}  // namespace Atoll::record
