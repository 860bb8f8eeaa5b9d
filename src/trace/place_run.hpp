// Runs a command placed by a plan, or by a policy for all of its threads and memory.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/program_plan.hpp"

namespace Atoll::trace {

/// Runs the command by the plan, reports on standard error what was recognised by what, and returns
/// the command's status as from waitpid. `where` names the plan. Throws Error (input) if the
/// command can't be executed.
int run_with_plan(const ProgramPlan& plan, std::string_view where,
                  const std::vector<std::string>& command);

/// A way to place any program, which needs to know nothing about it.
struct PlacePolicy {
  std::string_view name;
  std::string_view about;  ///< a line
  /// Like run_with_plan. Throws Error (failed) if the system can't do it.
  int (*run)(const std::vector<std::string>& command);
};
[[nodiscard]] std::span<const PlacePolicy> place_policies();

}  // namespace Atoll::trace
