// What a core does without memory, and what two of them do to one line.
#pragma once

#include "atoll/threads/team.hpp"

namespace Atoll::measure {

/// GHz of the calling thread's core: an addition that waits for the one before takes a cycle.
[[nodiscard]] double core_clock_ghz(double seconds);
/// Instructions of a cycle, of additions and loads that wait for nothing.
[[nodiscard]] double instructions_a_cycle(double seconds, double clock_ghz);
/// Nanoseconds from one thread's write of a line to the other's, of the team's first two, each
/// writing when it sees what the other has written.
[[nodiscard]] double handoff_ns(const Team& team, double seconds);
/// Nanoseconds of an atomic addition to a counter that nobody else uses.
[[nodiscard]] double atomic_ns(double seconds);

/// What two threads that add to one counter all the time do to each other.
struct Contention {
  double operation_ns = 0;       ///< time by the number of a thread's additions
  double operations_a_stay = 0;  ///< a thread's, until the other one's come between
};
/// Of the team's first two threads: the trial that a tenth of all are shorter than.
[[nodiscard]] Contention contention(const Team& team, double seconds);
/// Time of additions by the team's first two threads at once, by that of the first one's alone: 1
/// on two cores, 2 where they are threads of one core.
[[nodiscard]] double slowed_by_each_other(const Team& team, double seconds);

}  // namespace Atoll::measure
