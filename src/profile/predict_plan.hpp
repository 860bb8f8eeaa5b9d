// Predicts what a plan would do to a run: the one that it was made from, or another one of the same
// program, which shows a plan that fits only one run.
#pragma once

#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"
#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

struct PlanOnRun {
  Prediction before;                 ///< of the run as it is
  Prediction after;                  ///< by the plan; `time` is relative to before
  std::size_t recognised = 0;        ///< of the plan's objects
  std::vector<std::string> missing;  ///< names of the rest
  std::size_t threads = 0;           ///< those that have a place in the plan, if it binds threads
};

/// Predicts the plan on the run. Objects are recognised as in a run by the plan
/// (docs/plan-file.md), but not by size alone; threads are recognised by their number. All else is
/// as without a plan. `plan` is one of advise().
[[nodiscard]] PlanOnRun predict_plan(const ProgramPlan& plan, const Profile& profile,
                                     const Machine& machine);

}  // namespace Atoll::profile
