// Describes in words the effect of a plan on an object.
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
  std::string text;    ///< for the advice: the recommended change
};

/// Describes `option`. `before` and `after` are the shares of the objects that are planned
/// together, with threads placed as in the plan. `after.time` is 1 less the time that this part of
/// the plan saves by itself. `nodes` are Places::nodes.
[[nodiscard]] OptionInWords in_words(const PlanOption& option, const ObjectSummary& of,
                                     std::span<const NodeId> nodes, const Prediction& before,
                                     const Prediction& after);

/// Returns "local 26 % -> 99 %, busiest memory 100 % -> 26 %".
[[nodiscard]] std::string change(const Prediction& before, const Prediction& after);

}  // namespace Atoll::profile
