// Measures a core without memory accesses, and two cores that share one cache line.
#pragma once

#include "atoll/threads/team.hpp"

namespace Atoll::measure {

/// Returns the clock of the calling thread's core in GHz, from a chain of dependent additions that
/// take one cycle each.
[[nodiscard]] double core_clock_ghz(double seconds);
/// Returns the number of independent additions and loads per cycle.
[[nodiscard]] double instructions_a_cycle(double seconds, double clock_ghz);
/// Returns the time, in nanoseconds, from one thread's write of a line to the other's. The team's
/// first two threads write alternately, each when it sees the other's value.
[[nodiscard]] double handoff_ns(const Team& team, double seconds);
/// Returns the time of an uncontended atomic addition, in nanoseconds.
[[nodiscard]] double atomic_ns(double seconds);

/// Contention of two threads that continuously add to one counter.
struct Contention {
  double operation_ns = 0;       ///< total time divided by a thread's number of additions
  double operations_a_stay = 0;  ///< additions by a thread between two of the other thread
};
/// Measures the team's first two threads; returns the trial at the tenth percentile of the times.
[[nodiscard]] Contention contention(const Team& team, double seconds);
/// Returns the time of additions on the team's first two threads together, divided by that of the
/// first one alone: 1 on two cores, 2 on two hardware threads of one core.
[[nodiscard]] double slowed_by_each_other(const Team& team, double seconds);

}  // namespace Atoll::measure
