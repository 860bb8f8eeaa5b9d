// Ends a program at its time limit or on the user's interrupt.
#pragma once

#include <optional>

namespace Atoll::program {

/// Exit code of a run that reached its time limit, as of timeout(1).
inline constexpr int kTimeLimitExitCode = 124;

/// Installs handlers that end the process with one line of output: exit code 130 on Ctrl-C
/// (SIGINT), 124 after `seconds`, if given. The process ends immediately, regardless of its
/// threads. Files are written by AtomicFile, so no partial file remains.
void end_on_interrupt_or_after(std::optional<double> seconds);

}  // namespace Atoll::program
