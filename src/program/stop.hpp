// Ends a program that takes too long, or that its user no longer wants.
#pragma once

#include <optional>

namespace Atoll::program {

/// The exit code of a run that its time limit ended, as of timeout(1).
inline constexpr int kTimeLimitExitCode = 124;

/// From now on Ctrl-C (SIGINT) ends the process with one line and exit code 130, and so does the
/// limit, with exit code 124, once so many seconds have gone by. The process ends at once, whatever
/// its threads are doing; files are written by AtomicFile, so none is left half written.
void end_on_interrupt_or_after(std::optional<double> seconds);

}  // namespace Atoll::program
