// What to do about a program's use of memory: the plan with the least predicted time of memory
// traffic, among what the paper's methodology [hashsieve §VI.C] chooses from, and what no plan can
// do.
#pragma once

#include <string>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "profile/rules.hpp"
#include "profile/summary.hpp"

namespace Atoll::profile {

/// One piece of advice.
struct Recommendation {
  Action action = Action::nothing;
  double share = 0;         ///< of all accesses, those that it is about
  std::string text;         ///< a line, may be long
  std::string source = {};  ///< the change of the source that does the same; "" if none is known
};

struct Advice {
  std::vector<Recommendation> recommendations;  ///< at least one
  std::string why;                 ///< a line: what holds the program up, and what the plan gains
  std::string trade;               ///< says if the plan makes fewer accesses local; "" otherwise
  std::string gain;                ///< what a plan would save, with its range; "" if none was found
  std::vector<std::string> notes;  ///< about the recording, a line each
  ProgramPlan plan;                ///< with predictions; empty if nothing is to change
  Summary summary;                 ///< of the profile as it is, with what to do

  [[nodiscard]] bool changes() const { return plan.bind_threads || !plan.objects.empty(); }
};

[[nodiscard]] Advice advise(const Profile& profile, const Machine& machine);

}  // namespace Atoll::profile
