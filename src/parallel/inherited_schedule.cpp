// Reads the schedule that the environment names.
#include "atoll/parallel/inherited_schedule.hpp"

#include <optional>
#include <string>
#include <vector>

#include "atoll/plan/schedule_file.hpp"
#include "base/environment.hpp"

namespace Atoll {
namespace {

std::string variable(const char* name) {
  const char* const value = environment_variable(name);
  return value == nullptr ? "" : value;
}

std::optional<FollowedSchedule> read_inherited() {
  const std::string path = variable(kScheduleVariable);
  if (path.empty()) return std::nullopt;
  return FollowedSchedule(read_schedule(path),
                          {.strict = !variable(kStrictScheduleVariable).empty(),
                           .always = !variable(kAlwaysScheduleVariable).empty()});
}

}  // namespace

const FollowedSchedule* inherited_schedule() {
  static const std::optional<FollowedSchedule> inherited = read_inherited();
  return inherited ? &*inherited : nullptr;
}

ThreadPlaces scheduled_places(const Machine& machine, int threads) {
  const FollowedSchedule* const inherited = inherited_schedule();
  if (inherited == nullptr) return spread_places(machine, threads);
  const std::vector<ThreadPlace>& places = inherited->schedule().places;
  if (threads != 0 && static_cast<std::size_t>(threads) != places.size())
    return spread_places(machine, threads);
  check_places(inherited->schedule(), machine, variable(kScheduleVariable));
  std::vector<int> units;
  units.reserve(places.size());
  for (const ThreadPlace& place : places) units.push_back(place.pu);
  return listed_places(machine, units);
}

}  // namespace Atoll
