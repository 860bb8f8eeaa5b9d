// Adds iteration counters to While and Do loops.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Each loop gets a variable, declared at the procedure's start, that its body increments. A run
/// reports them as the values of k, k2, … in the formulas.
void count_trips(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
