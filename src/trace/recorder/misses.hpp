// Samples which of a thread's accesses a private cache would miss, without a further instruction on
// the fast paths. A line misses if it was used neither in this generation nor in the last; a
// generation ends when the thread has used 3/4 as many different lines as the cache holds. In each
// generation, each line of a page that is used is watched at first: both of its counts look full,
// so that its next use comes to the library, which stops watching it. A line's very first use is no
// such miss: it is known from the lines of a page that were used. Generations come in stretches,
// with pauses between them that keep their cost low. The first generation of a stretch only learns
// what is in the cache, unless the thread has just begun and the cache is empty.
#pragma once

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

inline constexpr std::uint32_t kGenerations = 4;  ///< of a stretch
/// A pause is this many times as long as the stretch before it. At first it is short, so that short
/// runs have some; later it is an eighth of the time that the thread has been recorded.
inline constexpr std::uint64_t kShortestPause = 12, kLongestPause = 64;
/// The first stretch has at least this many generations and this much of the thread's CPU time, so
/// that short runs are seen as a whole, on slow computers too.
inline constexpr std::uint32_t kFirstGenerations = 16;
inline constexpr std::uint64_t kFirstStretchNs = 20'000'000;
inline constexpr std::uint32_t kFindsBetweenLooks = 32;  ///< between two looks at the clock

/// Returns the most different lines of a generation.
[[nodiscard]] inline std::uint64_t lines_of_generation() {
  return header()->cache_lines / 4 * 3;
}
[[nodiscard]] inline bool is_in_stretch(const ThreadState* thread) {
  return thread->stretch.generations_left != 0;
}

/// Begins a stretch, for a thread that begins, and for one whose pause may be over.
void begin_stretch(ThreadState* thread);
void look_at_clock(ThreadState* thread);
/// Adds what was sampled, and stops sampling for now.
void end_stretch(ThreadState* thread);
/// Watches all lines of the page if its thread uses it for the first time in this generation.
void watch(ThreadState* thread, PageCounters* block);
/// A watched line was used again: stops watching it.
void use_line(ThreadState* thread, PageCounters* block, std::uint64_t line);

/// Called when the page has to be looked up, which happens in each generation.
inline void see_page(ThreadState* thread, PageCounters* block) {
  Stretch& stretch = thread->stretch;
  if (!is_in_stretch(thread)) {
    if (stretch.finds_left-- != 0) return;
    look_at_clock(thread);
    if (!is_in_stretch(thread)) return;
  }
  if (block->generation != stretch.generation) watch(thread, block);
}

/// Notes that this many accesses of a page's counters go to a Carry.
inline void add_carried(ThreadState* thread, PageCounters* block, std::uint64_t accesses) {
  if (thread->stretch.counts && block->generation == thread->stretch.generation)
    block->accesses += static_cast<float>(accesses);
}

}  // namespace Atoll::trace::recorder
