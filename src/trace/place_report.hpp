// Says for people what came of a plan: how its threads and objects were recognised, and which
// weren't.
#pragma once

#include <string>
#include <string_view>

#include "atoll/plan/program_plan.hpp"
#include "trace/place_server.hpp"

namespace Atoll::trace {

/// Returns lines of at most 80 columns, except for names. Call it after the program's end.
[[nodiscard]] std::string report_of_placing(const ProgramPlan& plan, std::string_view where,
                                            const PlaceServer& server);

}  // namespace Atoll::trace
