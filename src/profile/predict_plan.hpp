// Predicts the effect of a plan on a run: the one that it was made from, or another one of the same
// program. The latter reveals a plan that fits only one run.
#pragma once

#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"
#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

struct PlanOnRun {
  Prediction before;                 ///< of the run without the plan
  Prediction after;                  ///< of the run with the plan; `time` is relative to `before`
  std::size_t recognised = 0;        ///< number of the plan's objects that the run has
  std::vector<std::string> missing;  ///< names of the plan's remaining objects
  std::size_t threads = 0;           ///< threads with a place in the plan, if it binds threads
};

/// Predicts the plan on the run. Objects are recognised as when the plan is applied
/// (docs/plan-file.md), but never by size alone. Threads are recognised by their number. Other
/// objects and threads are placed as without a plan. `plan` is a result of advise().
[[nodiscard]] PlanOnRun predict_plan(const ProgramPlan& plan, const Profile& profile,
                                     const Machine& machine);

}  // namespace Atoll::profile
