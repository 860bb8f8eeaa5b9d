// How sure the predicted shares of a plan are that was made from samples.
#pragma once

#include "profile/advise.hpp"

namespace Atoll::profile {

struct PlanIntervals {
  Interval local, busiest;
};

/// Returns the intervals of a sampled profile's advice: those of the one mapping that all of the
/// plan's objects get, as far as they were estimated. Other plans have none.
[[nodiscard]] PlanIntervals plan_intervals(const Advice& advice);

}  // namespace Atoll::profile
