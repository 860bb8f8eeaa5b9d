// Implements `atoll run` for commands. For Green-Marl programs, see verb_run.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atoll/parallel/followed_schedule.hpp"
#include "atoll/plan/program_plan.hpp"

namespace Atoll::cli {

/// Reads a plan's file. Throws Error (input) if it can't be read or isn't a plan.
[[nodiscard]] ProgramPlan read_plan(const std::string& path);

struct CommandPolicy {
  std::string_view name;
  std::string_view about;  ///< description in one line
};
/// The policies for commands. Empty if this build can't place commands (ATOLL_RECORDING).
[[nodiscard]] std::vector<CommandPolicy> command_policies();

struct CommandRun {
  std::string plan;      ///< the plan's file; if "", the policy applies
  std::string policy;    ///< one of command_policies(); "" means "os"
  std::string schedule;  ///< the schedule's file, or ""
  FollowOptions follow;
  bool json = false;  ///< print a JSON object after the run
};

/// Returns true if the word names a program that can be run.
[[nodiscard]] bool is_command(const std::string& word);

/// Runs the command, and ends this process as the command ended. Throws Error if the command can't
/// be run.
[[noreturn]] void run_command(const CommandRun& run, const std::vector<std::string>& command);

}  // namespace Atoll::cli
