// Removes second arrays that aren't needed.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// If a loop over all nodes assigns p_nxt and reads p at its own node only, and not after the
/// assignment, it assigns p itself, and the copy after the loop is removed.
void drop_second_arrays(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
