// Makes While and Do loops count how often they run.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Each loop gets a variable, declared at the procedure's start, that its body counts up. These are
/// the values of k, k2, … in the formulas, which a run reports.
void count_trips(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
