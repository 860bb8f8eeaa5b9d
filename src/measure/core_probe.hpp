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

}  // namespace Atoll::measure
