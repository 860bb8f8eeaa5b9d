// Reports the result of applying a plan: the levels at which its threads and objects were matched,
// and those that weren't.
#pragma once

#include <string>
#include <string_view>

#include "apply/plan_server.hpp"
#include "apply/run_applied.hpp"
#include "atoll/plan/program_plan.hpp"

namespace Atoll::apply {

/// Returns lines of at most 80 columns, apart from long names. Call it after the program has ended.
[[nodiscard]] PlanUse use_of_plan(const ProgramPlan& plan, const PlanServer& server);
[[nodiscard]] std::string report_of_plan(const ProgramPlan& plan, std::string_view where,
                                         const PlanServer& server);

}  // namespace Atoll::apply
