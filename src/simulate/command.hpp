// `atoll simulate -- COMMAND`: runs the program and simulates it at the same time. The program sees
// the simulated machine, and its threads follow simulated time. No trace is stored.
#pragma once

#include "atoll/recording/watch.hpp"
#include "atoll/simulate/simulate.hpp"

namespace Atoll::simulate {

/// The result, and the command's exit status as waitpid() reports it.
struct CommandResult {
  Result result;
  int status = 0;
};

/// Runs the command of `watch`; ignores the files and marks that `watch` asks for. Throws as
/// recording::watch and simulate_trace do, and Error (input) if the program runs more threads at a
/// time than it is shown processing units.
[[nodiscard]] CommandResult simulate_command(const recording::WatchOptions& watch,
                                             const Machine& machine, const Options& options);

}  // namespace Atoll::simulate
