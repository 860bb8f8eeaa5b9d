// `atoll simulate -- COMMAND`: the program runs now, sees the machine, and its threads follow
// simulated time. Nothing is stored.
#pragma once

#include "atoll/simulate/simulate.hpp"
#include "atoll/trace/watch.hpp"

namespace Atoll::simulate {

/// What has come out, and the command's status, as waitpid has it.
struct CommandResult {
  Result result;
  int status = 0;
};

/// Runs the command that `watch` says. What it asks for besides (files, marks) is left out. Throws
/// as trace::watch and simulate_trace do; and Error (input) if the program runs more threads at a
/// time than it is shown processing units.
[[nodiscard]] CommandResult simulate_command(const trace::WatchOptions& watch,
                                             const Machine& machine, const Options& options);

}  // namespace Atoll::simulate
