// The half of `atoll run` that runs any command; the other half is in verb_run.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "atoll/plan/program_plan.hpp"

namespace Atoll::cli {

/// Reads a plan's file. Throws Error (input) if it can't be read or is no plan.
[[nodiscard]] ProgramPlan read_plan(const std::string& path);

/// Runs the command placed by the plan or, if `plan` is "", by the policy (one of
/// apply::run_policies()), and ends this process as the command ended. Calls `ended` before
/// that, with the command's status as from waitpid. Throws Error if it can't run.
[[noreturn]] void run_command(const std::string& plan, const std::string& policy,
                              const std::vector<std::string>& command,
                              const std::function<void(int)>& ended);

}  // namespace Atoll::cli
