// What a plan does with an object, in words.
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

/// `before`, `after`: shares of what the object is planned with. `nodes` are Places::nodes.
[[nodiscard]] OptionInWords in_words(const PlanOption& option, const ObjectSummary& of,
                                     std::span<const NodeId> nodes, const Prediction& before,
                                     const Prediction& after);

/// "local 26 % -> 99 %, busiest memory 100 % -> 26 %".
[[nodiscard]] std::string change(const Prediction& before, const Prediction& after);

}  // namespace Atoll::profile
