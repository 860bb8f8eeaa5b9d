// Rounds of Atoll's own teams (threads/team.cpp). Their threads wait in loops at first, then by
// futexes. The number of checks and the order of wake-ups depend on the computer's timing. So the
// reason of a wait is reported, and accesses that wait or wake others aren't recorded.
#include "record/inside/waits/openmp.hpp"

using namespace Atoll::record::inside::waits;

namespace Atoll::record::inside::waits {

constinit thread_local bool is_in_team_wait = false;

}  // namespace Atoll::record::inside::waits

// In a turn: the simulator continues after all workers have been woken.
ATOLL_INTERPOSE void atoll_team_begin(const void* team) {
  is_in_team_wait = true;
  request_turn();
  record({.call = WaitCall::release, .hides = true, .key = key_of(team)});
}

ATOLL_INTERPOSE void atoll_team_begun() {
  record_continued(0);
  end_turn();
  is_in_team_wait = false;
}

ATOLL_INTERPOSE void atoll_team_enter(const void* team) {
  waited(team, 0);
  is_in_team_wait = false;
}

ATOLL_INTERPOSE void atoll_wants_turn() {
  request_turn();
}

ATOLL_INTERPOSE void atoll_turn_over() {
  end_turn();
}

ATOLL_INTERPOSE void atoll_team_waits(const void* team, bool for_end) {
  is_in_team_wait = true;
  record({.call = WaitCall::asleep, .hides = true, .key = for_end ? kRegionEnds : key_of(team)});
}

ATOLL_INTERPOSE void atoll_team_ended() {
  record_continued(kRegionEnds);
  is_in_team_wait = false;
}

ATOLL_INTERPOSE void atoll_team_leave(const void* team, std::uint64_t round,
                                      std::uint32_t threads) {
  record({.call = WaitCall::met, .count = threads, .key = key_of(team), .other = round});
}
