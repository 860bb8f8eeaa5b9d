// What timed streams tell besides accesses, for the recorder's own files: styles of accesses, and
// work that no access has.
#pragma once

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

/// The styles that a thread has told, in the region; they are looked up by a hash.
struct StyleTable {
  static constexpr std::size_t kBuckets = 256;
  std::uint64_t styles[kStyles][2];  ///< by index: the two words of a style's record
  std::uint8_t buckets[kBuckets][2];
  std::uint32_t next;          ///< the index that the next new style gets, less 1
  Timing walks[kWalksOfLoop];  ///< of ThreadState::walks
};

/// True if the thread's stream is timed.
inline bool is_timed_stream(const ThreadState* thread) {
  return thread->record != nullptr && header()->timed != 0 && is_stream();
}

/// How many loads back the load of this number is, for an access behind `loads` loads; 0: it is no
/// load, or so long ago that its data is there.
inline std::uint32_t loads_back(std::uint64_t loads, std::uint64_t number) {
  constexpr std::uint64_t kFarthest = 63;
  if (number == 0 || number > loads) return 0;
  const std::uint64_t back = loads + 1 - number;
  return back > kFarthest ? 0 : static_cast<std::uint32_t>(back);
}

/// Appends words that begin with that of an access or a range; it gets the style.
void append_styled(ThreadState* thread, std::uint64_t* words, std::size_t count, const Style& style,
                   bool goes_on);
/// By a thread inside the recorder: tells of the work since the last access, if there is any.
void put_work(ThreadState* thread);
/// Before a range: the same, if it matters or must not come later.
void tell_work_before_range(ThreadState* thread);
/// Of a thread that begins.
void forget_styles(ThreadState* thread);
/// Returns the thread's table, made if there is none; null: there is no memory.
StyleTable* style_table(ThreadState* thread);

/// As record_range(), with its style; what that depends on is for the first access alone.
void stream_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more, const Style& style);

}  // namespace Atoll::trace::recorder
