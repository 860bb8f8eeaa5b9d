// Runs the queue as a chain.
#pragma once

#include "stencil/state.hpp"

namespace Atoll::stencil {

/// Runs all queued loops and empties the queue. If a kernel throws, the program is unusable.
void run_queue(Program::State& state);

}  // namespace Atoll::stencil
