// Rounds of Atoll's own teams (threads/team.cpp).
#include "trace/inside/waits/openmp.hpp"

using namespace Atoll::trace::inside::waits;

ATOLL_INTERPOSE void atoll_team_begin(const void* team) {
  released(team, 0);
}

ATOLL_INTERPOSE void atoll_team_enter(const void* team) {
  waited(team, 0);
}

ATOLL_INTERPOSE void atoll_wants_turn() {
  wants_turn();
}

ATOLL_INTERPOSE void atoll_turn_over() {
  turn_over();
}

ATOLL_INTERPOSE void atoll_team_waits(const void* team, bool for_end) {
  tell({.call = WaitCall::asleep, .key = for_end ? kRegionEnds : key_of(team)});
}

ATOLL_INTERPOSE void atoll_team_leave(const void* team, std::uint64_t round,
                                      std::uint32_t threads) {
  tell({.call = WaitCall::met, .count = threads, .key = key_of(team), .other = round});
}
