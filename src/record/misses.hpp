// Samples the misses of a private cache for each thread, without additional instructions on the
// fast paths. A line misses if the thread used it neither in this generation nor in the last one. A
// generation ends when the thread has used 3/4 as many different lines as the cache holds. When a
// page is first used in a generation, all its lines are watched: both of their counts look full, so
// the next use of a line calls the library, which stops watching the line. The first use of a line
// ever is not sampled, as the number of lines used is known. A stretch is a sequence of
// generations; pauses between stretches limit the cost. The first generation of a stretch only
// learns the contents of the cache, unless the thread has just begun and the cache is empty.
#pragma once

#include "record/inside.hpp"

namespace Atoll::record {

inline constexpr std::uint32_t kGenerations = 4;  ///< generations per stretch
/// Length of a pause, in multiples of the stretch before it. It is an eighth of the thread's CPU
/// time so far, within these limits. So short runs have some stretches, too.
inline constexpr std::uint64_t kShortestPause = 12, kLongestPause = 64;
/// Minimum length of the first stretch, in generations and in CPU time of the thread. It covers
/// short runs completely, on slow computers too.
inline constexpr std::uint32_t kFirstGenerations = 16;
inline constexpr std::uint64_t kFirstStretchNs = 20'000'000;
inline constexpr std::uint32_t kFindsBetweenLooks = 32;  ///< page lookups per look at the clock

/// Returns the number of different lines after which a generation ends.
[[nodiscard]] inline std::uint64_t lines_of_generation() {
  return header()->cache_lines / 4 * 3;
}
[[nodiscard]] inline bool is_in_stretch(const ThreadState* thread) {
  return thread->stretch.generations_left != 0;
}

/// Begins a stretch, if sampling is possible.
void begin_stretch(ThreadState* thread);
void look_at_clock(ThreadState* thread);
/// Adds the samples to the pages' counters, and begins a pause.
void end_stretch(ThreadState* thread);
/// Starts watching all lines of a page that its thread uses for the first time in this generation.
void watch(ThreadState* thread, PageCounters* block);
/// Stops watching a line that was used again, and counts its miss.
void use_line(ThreadState* thread, PageCounters* block, std::uint64_t line);

/// Must be called at each lookup of a page. Each generation looks up its pages anew.
inline void see_page(ThreadState* thread, PageCounters* block) {
  SamplingBurst& stretch = thread->stretch;
  if (!is_in_stretch(thread)) {
    if (stretch.finds_left-- != 0) return;
    look_at_clock(thread);
    if (!is_in_stretch(thread)) return;
  }
  if (block->generation != stretch.generation) watch(thread, block);
}

/// Counts accesses that move from a page's counters to a Carry.
inline void add_carried(ThreadState* thread, PageCounters* block, std::uint64_t accesses) {
  if (thread->stretch.counts && block->generation == thread->stretch.generation)
    block->accesses += static_cast<float>(accesses);
}

}  // namespace Atoll::record
