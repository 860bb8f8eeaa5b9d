#include "profile/plan_intervals.hpp"

#include <algorithm>
#include <set>

namespace Atoll::profile {

PlanIntervals plan_intervals(const Advice& advice) {
  std::set<Mapping> mappings;
  for (const Recommendation& one : advice.recommendations) switch (one.action) {
      case Action::locality:
        mappings.insert(Mapping::locality);
        break;
      case Action::interleave:
        mappings.insert(Mapping::interleave);
        break;
      case Action::balance:
        mappings.insert(Mapping::balance);
        break;
      case Action::map_threads:  // only `compact` is estimated, and only without moved pages
        return {};
      case Action::annotate:
      case Action::pad:
      case Action::nothing:
        break;
    }
  if (mappings.size() != 1) return {};
  const auto at = static_cast<std::size_t>(*mappings.begin());
  const ShareIntervals& program = advice.summary.intervals->program;
  PlanIntervals sure{program.local[at], program.busiest[at]};
  const auto hold = [](Interval& interval, double share) {
    interval = {std::min(interval.low, share), std::max(interval.high, share)};
  };
  hold(sure.local, advice.plan.after->local_share);
  hold(sure.busiest, advice.plan.after->busiest_share);
  return sure;
}

}  // namespace Atoll::profile
