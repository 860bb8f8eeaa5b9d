// Runs a command with a plan, or with a policy for all of its threads and memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/program_plan.hpp"

namespace Atoll::apply {

/// Numbers of planned threads and objects, and of those that a run had.
struct PlanUse {
  std::size_t threads = 0, recognised_threads = 0, objects = 0, recognised_objects = 0;
  std::vector<std::string> missing;  ///< descriptions of the others, one per line
};

/// Runs the command with the plan, and reports on standard error at which levels threads and
/// objects were matched. Returns the command's wait status, as from waitpid. `where` is the plan's
/// name. If `use` isn't null, sets it. Throws Error (input) if the command can't be executed.
int run_with_plan(const ProgramPlan& plan, std::string_view where,
                  const std::vector<std::string>& command, PlanUse* use = nullptr);

/// A policy for running any program without a plan.
struct RunPolicy {
  std::string_view name;
  std::string_view about;  ///< description in one line
  /// Like run_with_plan. Throws Error (failed) if the system doesn't support the policy.
  int (*run)(const std::vector<std::string>& command);
};
[[nodiscard]] std::span<const RunPolicy> run_policies();

}  // namespace Atoll::apply
