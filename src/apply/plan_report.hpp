// Says for people what came of a plan: how its threads and objects were recognised, and which
// weren't.
#pragma once

#include <string>
#include <string_view>

#include "apply/plan_server.hpp"
#include "atoll/plan/program_plan.hpp"

namespace Atoll::apply {

/// Returns lines of at most 80 columns, except for names. Call it after the program's end.
[[nodiscard]] std::string report_of_plan(const ProgramPlan& plan, std::string_view where,
                                         const PlanServer& server);

}  // namespace Atoll::apply
