#include "simulate/live_places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "atoll/machine/os_places.hpp"

namespace Atoll::simulate {

LivePlaces::LivePlaces(const Machine& machine, const Options& options)
    : machine_(machine), compact_(options.policy == PlacementPolicy::compact) {
  const int units = static_cast<int>(machine.processors().size());
  if (options.threads > units)
    throw Error::input(fmt::format("--threads {}", options.threads),
                       fmt::format("{} has {} processing units", machine.name(), units),
                       "give so many at most, or take a larger machine");
  all_ = compact_ ? compact_places(machine, units) : os_places(machine, units);
  spread(static_cast<std::size_t>(compact_ ? units : std::max(options.threads, 1)));
  const std::size_t allowed =
      options.threads == 0 ? all_.size() : static_cast<std::size_t>(options.threads);
  for (std::size_t i = 0; i < allowed; ++i)
    allowed_.push_back(options.threads == 0 ? all_[i].pu : all_[wanted_[i]].pu);
}

void LivePlaces::spread(std::size_t count) {
  const ThreadPlaces places =
      compact_ ? all_ : os_places(machine_, static_cast<int>(std::min(count, all_.size())));
  wanted_.clear();
  for (const ThreadPlace& place : places)
    wanted_.push_back(static_cast<std::uint32_t>(
        std::ranges::find(all_, place.pu, &ThreadPlace::pu) - all_.begin()));
}

bool LivePlaces::note(std::uint32_t slot) {
  if (slot < wanted_.size() || wanted_.size() == all_.size()) return false;
  spread(slot + 1);
  return true;
}

}  // namespace Atoll::simulate
