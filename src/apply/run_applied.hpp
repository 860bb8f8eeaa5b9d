// Runs a command, with a plan applied to it or a policy for all of its threads and memory.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/program_plan.hpp"

namespace Atoll::apply {

/// Runs the command by the plan, reports on standard error what was recognised by what, and returns
/// the command's status as from waitpid. `where` names the plan. Throws Error (input) if the
/// command can't be executed.
int run_with_plan(const ProgramPlan& plan, std::string_view where,
                  const std::vector<std::string>& command);

/// A way to run any program that needs no plan of it.
struct RunPolicy {
  std::string_view name;
  std::string_view about;  ///< a line
  /// Like run_with_plan. Throws Error (failed) if the system can't do it.
  int (*run)(const std::vector<std::string>& command);
};
[[nodiscard]] std::span<const RunPolicy> run_policies();

}  // namespace Atoll::apply
