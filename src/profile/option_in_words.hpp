// Says in words what a plan does with an object.
#pragma once

#include <span>
#include <string>

#include "atoll/plan/program_plan.hpp"
#include "profile/plan_options.hpp"
#include "profile/rules.hpp"
#include "profile/summary.hpp"

namespace Atoll::profile {

struct OptionInWords {
  Action action = Action::nothing;
  std::string reason;  ///< for the plan
  std::string text;    ///< for advice: what to do
};

/// `before` and `after` are the shares of the objects that are planned together, with threads as
/// the plan places them; `after.time` is 1 less what this part of the plan saves by itself. `nodes`
/// are Places::nodes.
[[nodiscard]] OptionInWords in_words(const PlanOption& option, const ObjectSummary& of,
                                     std::span<const NodeId> nodes, const Prediction& before,
                                     const Prediction& after);

/// Returns "local 26 % -> 99 %, busiest memory 100 % -> 26 %".
[[nodiscard]] std::string change(const Prediction& before, const Prediction& after);

}  // namespace Atoll::profile
