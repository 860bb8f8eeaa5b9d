// How sure the shares are that a plan made from samples predicts.
#pragma once

#include "profile/advise.hpp"

namespace Atoll::profile {

struct PlanIntervals {
  Interval local, busiest;
};

/// Of the advice of a sampled profile: those of the one mapping that all of the plan's objects get,
/// as far as they were estimated. Those of other plans aren't said.
[[nodiscard]] PlanIntervals plan_intervals(const Advice& advice);

}  // namespace Atoll::profile
