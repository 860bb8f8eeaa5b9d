// Checked mode: runs the queue loop after loop on the calling thread.
#pragma once

#include "stencil/state.hpp"

namespace Atoll::stencil {

/// Runs all queued loops and compares their declarations with the accesses of their kernels. Throws
/// Error (input) for the first difference; the program is unusable then.
void run_checked(Program::State& state);

}  // namespace Atoll::stencil
