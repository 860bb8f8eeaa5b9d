// Checked mode: runs the queue loop after loop on the calling thread.
#pragma once

#include "stencil/state.hpp"

namespace Atoll::stencil {

/// Runs all loops that wait, and compares what they declare with what their kernels do. Throws
/// Error (input) for the first difference; the program is void then.
void run_checked(Program::State& state);

}  // namespace Atoll::stencil
