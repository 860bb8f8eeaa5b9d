// Implements `atoll run` for commands. For Green-Marl programs, see verb_run.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "atoll/plan/program_plan.hpp"

namespace Atoll::cli {

/// Reads a plan's file. Throws Error (input) if it can't be read or isn't a plan.
[[nodiscard]] ProgramPlan read_plan(const std::string& path);

/// Runs the command with the plan or, if `plan` is "", with the policy (one of
/// apply::run_policies()), and ends this process as the command ended. Before that, calls `ended`
/// with the command's status, as from waitpid. Throws Error if the command can't be run.
[[noreturn]] void run_command(const std::string& plan, const std::string& policy,
                              const std::vector<std::string>& command,
                              const std::function<void(int)>& ended);

}  // namespace Atoll::cli
