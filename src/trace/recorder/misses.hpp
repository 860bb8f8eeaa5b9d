// Which of a thread's accesses a private cache would miss, sampled, without an instruction more on
// the fast paths. A line misses if it was used neither in this generation nor in the last; a
// generation ends when the thread has used 3/4 as many different lines as the cache holds. In a
// generation each line of a page that is used is watched at first: both of its counts look full,
// so that its next use comes to the library, which stops watching it. A line's first use of all
// is no such miss: the lines of a page that were used tell of it. Generations come in stretches,
// with pauses between them that keep their cost low; the first generation of a stretch only learns
// what is in the cache, unless the thread has just begun and nothing is.
#pragma once

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

inline constexpr std::uint32_t kGenerations = 4;  ///< of a stretch
/// A pause is so many times as long as the stretch before it: at first it is short, so that short
/// runs have some, later an eighth of the time that the thread has been recorded.
inline constexpr std::uint64_t kShortestPause = 12, kLongestPause = 64;
/// The first stretch is at least so long, in generations and in CPU time of the thread: short runs
/// are seen as a whole, on slow computers too.
inline constexpr std::uint32_t kFirstGenerations = 16;
inline constexpr std::uint64_t kFirstStretchNs = 20'000'000;
inline constexpr std::uint32_t kFindsBetweenLooks = 32;  ///< at the clock

/// The most different lines of a generation.
[[nodiscard]] inline std::uint64_t lines_of_generation() {
  return header()->cache_lines / 4 * 3;
}
[[nodiscard]] inline bool is_in_stretch(const ThreadState* thread) {
  return thread->stretch.generations_left != 0;
}

/// Of a thread that begins, and of one whose pause may be over.
void begin_stretch(ThreadState* thread);
void look_at_clock(ThreadState* thread);
/// Adds what was sampled; for now nothing more is.
void end_stretch(ThreadState* thread);
/// All lines of the page are watched, if its thread uses it for the first time in this generation.
void watch(ThreadState* thread, PageCounters* block);
/// A watched line's next use: it isn't watched any more.
void use_line(ThreadState* thread, PageCounters* block, std::uint64_t line);

/// The page has to be looked up, which it has in each generation.
inline void see_page(ThreadState* thread, PageCounters* block) {
  Stretch& stretch = thread->stretch;
  if (!is_in_stretch(thread)) {
    if (stretch.finds_left-- != 0) return;
    look_at_clock(thread);
    if (!is_in_stretch(thread)) return;
  }
  if (block->generation != stretch.generation) watch(thread, block);
}

/// So many accesses of a block go to a Carry.
inline void add_carried(ThreadState* thread, PageCounters* block, std::uint64_t accesses) {
  if (thread->stretch.counts && block->generation == thread->stretch.generation)
    block->accesses += static_cast<float>(accesses);
}

}  // namespace Atoll::trace::recorder
