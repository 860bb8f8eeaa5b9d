// Runs a command unwatched, for the slowdown of watching.
#pragma once

#include <sys/resource.h>

#include <string>
#include <vector>

namespace Atoll::recording {

/// Returns the seconds that the command takes. Restores the position of standard input, so that
/// the watched run reads the same file. Throws Error (input) if standard input is a pipe, which
/// can't be read twice.
double run_natively(const std::vector<std::string>& command, const rlimit& address_space);

}  // namespace Atoll::recording
