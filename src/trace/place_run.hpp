// Runs a command placed: by a plan, or by a policy that holds for all of its threads and memory.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/program_plan.hpp"

namespace Atoll::trace {

/// Runs the command by the plan, tells on standard error what was recognised by what, and returns
/// the command's status as from waitpid. `where` names the plan. Throws Error (input) where the
/// command can't be executed.
int run_with_plan(const ProgramPlan& plan, std::string_view where,
                  const std::vector<std::string>& command);

/// A way to place any program, that needs to know nothing of it.
struct PlacePolicy {
  std::string_view name;
  std::string_view about;  ///< a line
  /// As run_with_plan. Throws Error (failed) where the system can't.
  int (*run)(const std::vector<std::string>& command);
};
[[nodiscard]] std::span<const PlacePolicy> place_policies();

}  // namespace Atoll::trace
