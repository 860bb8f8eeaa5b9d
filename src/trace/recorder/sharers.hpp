// Counts how often other threads' writes invalidate a thread's copy of a line. Counters say how
// often each thread read and wrote a line, but not in which order: if one thread writes a line a
// million times and others then read it a million times, each of them misses once. So time is cut
// into periods, for each thread and page. In a period, each write of others may invalidate one use:
// threads are taken to run at the same time, as on a machine with a core for each, though here they
// may take turns. What a thread wrote before another one was created isn't of that one's time.
#pragma once

#include "trace/recorder/inside.hpp"

namespace Atoll::trace::recorder {

/// Number of times that other threads' writes invalidated a thread's copies of a page's lines,
/// up to its last lookup in a new epoch. Counts are visits: accesses / words of the line.
struct Invalidations {
  std::uint64_t period_ns;   ///< when the present period began (CLOCK_MONOTONIC)
  std::uint64_t used_ns;     ///< when the thread used the page in a new epoch
  std::uint32_t writes[64];  ///< by other threads, until the period began
  std::uint32_t uses[64];    ///< by this thread, until then
  std::uint32_t count[64];
};
/// Visits to a line from which on its page gets Invalidations. Fewer can't matter much.
inline constexpr std::uint64_t kManyVisits = 16;
/// A thread has so many pages with Invalidations at most, and looks at so many in an epoch. The
/// others are estimated by epochs.
inline constexpr std::uint32_t kMaxInvalidations = 1024, kLooksInEpoch = 96;
/// Least length of a period: all threads should have run in it, on a computer with few cores.
inline constexpr std::uint64_t kPeriodNs = 300'000'000;

/// Returns the visits to a line: each visit uses all words of the line that are used at all.
[[nodiscard]] inline constexpr std::uint64_t visits_of(std::uint64_t accesses,
                                                       std::uint64_t words) {
  const auto used = static_cast<std::uint64_t>(__builtin_popcountll(words & kWords));
  return used <= 1 ? accesses : (accesses + used - 1) / used;
}
/// Returns the invalidations in a period of `length_ns`, in which the thread used the page for
/// `used_ns`. Others' writes are taken to be spread evenly over the period; those long after the
/// thread's last use invalidate what is invalid already.
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

/// Enters a page's new counters in their bucket. If other threads of the process use the page,
/// what they and its thread did before both of them ran is known from now on.
void join_page(ThreadState* thread, PageCounters* block);
/// Called at the first lookup of a shared page in an epoch.
void count_invalidations(ThreadState* thread, PageCounters* block);

}  // namespace Atoll::trace::recorder
