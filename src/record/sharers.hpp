// Counts how often other threads' writes invalidate a thread's copy of a line. Counters have the
// number of reads and writes of each thread but not their order: if one thread writes a line a
// million times and others then read it a million times, each of them misses once. So time is
// divided into periods, for each thread and page. In a period, each write by others may invalidate
// one use. This assumes that threads run concurrently, as on a machine with a core for each, even
// if they share cores here. Writes before a thread's creation do not invalidate its copies.
#pragma once

#include "record/inside.hpp"

namespace Atoll::record {

/// Number of invalidations of a thread's copies of a page's lines by other threads' writes, up to
/// its last lookup in a new epoch. Counts are in visits: accesses / words of the line.
struct Invalidations {
  std::uint64_t period_ns;   ///< begin of the current period (CLOCK_MONOTONIC)
  std::uint64_t used_ns;     ///< last time that the thread used the page in a new epoch
  std::uint32_t writes[64];  ///< visits by writes of other threads, until the period began
  std::uint32_t uses[64];    ///< visits by this thread, until the period began
  std::uint32_t count[64];
};
/// Number of visits to a line from which on its page gets Invalidations. Fewer visits have little
/// effect.
inline constexpr std::uint64_t kManyVisits = 16;
/// Limits for a thread: number of pages with Invalidations, and of pages examined in an epoch.
/// Other pages are estimated by epochs.
inline constexpr std::uint32_t kMaxInvalidations = 1024, kLooksInEpoch = 96;
/// Minimum length of a period: long enough that all threads run in it, on a computer with few
/// cores.
inline constexpr std::uint64_t kPeriodNs = 300'000'000;

/// Returns the number of visits to a line: each visit uses all words of the line that are in use.
[[nodiscard]] inline constexpr std::uint64_t visits_of(std::uint64_t accesses,
                                                       std::uint64_t words) {
  const auto used = static_cast<std::uint64_t>(__builtin_popcountll(words & kWords));
  return used <= 1 ? accesses : (accesses + used - 1) / used;
}
/// Returns the invalidations in a period of `length_ns`, in which the thread used the page for
/// `used_ns`. Others' writes are assumed to be evenly distributed over the period. Writes long
/// after the thread's last use have no effect, as the copy is already invalid.
[[nodiscard]] inline constexpr std::uint64_t invalidations_of(std::uint64_t writes,
                                                              std::uint64_t uses,
                                                              std::uint64_t used_ns,
                                                              std::uint64_t length_ns) {
  const std::uint64_t counts_ns = used_ns + kPeriodNs;
  std::uint64_t during = writes;
  if (counts_ns < length_ns)
    during =
        static_cast<std::uint64_t>(static_cast<double>(writes) * static_cast<double>(counts_ns) /
                                   static_cast<double>(length_ns)) +
        1;
  return during < uses ? during : uses;
}

/// Adds a page's new counters to their hash bucket. If other threads of the process use the page,
/// accesses from before both threads ran are excluded from now on.
void join_page(ThreadState* thread, PageCounters* block);
/// Must be called at the first lookup of a shared page in an epoch.
void count_invalidations(ThreadState* thread, PageCounters* block);

}  // namespace Atoll::record
