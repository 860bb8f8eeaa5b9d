// Advice on a program's memory placement: the plan with the least predicted time of memory traffic,
// among the rules of the paper's methodology [hashsieve §VI.C]. It also reports problems that no
// plan can fix.
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
  double share = 0;         ///< fraction of all accesses that it concerns
  std::string text;         ///< one line, possibly long
  std::string source = {};  ///< equivalent change of the source; "" if none is known
};

struct Advice {
  std::vector<Recommendation> recommendations;  ///< at least one
  std::string why;                 ///< one line: the program's bottleneck, and the plan's gain
  std::string trade;               ///< a note if the plan makes fewer accesses local; "" otherwise
  std::string gain;                ///< predicted saving, with its interval; "" if no plan was found
  std::vector<std::string> notes;  ///< on the recording, one line each
  ProgramPlan plan;                ///< with predictions; empty if it changes nothing
  Summary summary;                 ///< of the profile without the plan; `to_do` is filled in

  [[nodiscard]] bool changes() const { return plan.bind_threads || !plan.objects.empty(); }
};

[[nodiscard]] Advice advise(const Profile& profile, const Machine& machine);

}  // namespace Atoll::profile
