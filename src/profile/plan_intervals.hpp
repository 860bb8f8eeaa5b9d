// Confidence intervals of a plan's predicted shares, for a plan from samples.
#pragma once

#include "profile/advise.hpp"

namespace Atoll::profile {

struct PlanIntervals {
  Interval local, busiest;
};

/// Returns the intervals of a sampled profile's advice. If all objects of the plan get the same
/// mapping, these are the mapping's intervals, as far as they were estimated. Other plans have
/// none.
[[nodiscard]] PlanIntervals plan_intervals(const Advice& advice);

}  // namespace Atoll::profile
