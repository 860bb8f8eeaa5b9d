// Running the queue as a chain.
#pragma once

#include "stencil/state.hpp"

namespace Atoll::stencil {

/// Runs all loops that wait, and empties the queue. If a kernel throws, the program is void.
void run_queue(Program::State& state);

}  // namespace Atoll::stencil
