// What came of a plan, for people: by what its threads and objects were recognised, what wasn't.
#pragma once

#include <string>
#include <string_view>

#include "atoll/plan/program_plan.hpp"
#include "trace/place_server.hpp"

namespace Atoll::trace {

/// Lines of at most 80 columns but for names; after the program's end.
[[nodiscard]] std::string report_of_placing(const ProgramPlan& plan, std::string_view where,
                                            const PlaceServer& server);

}  // namespace Atoll::trace
