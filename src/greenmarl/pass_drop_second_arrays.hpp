// Removes second arrays that aren't needed.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Applies to a loop over all nodes that assigns p_nxt and reads p only at its own node, and not
/// after the assignment. Such a loop assigns p directly, and the copy after the loop is removed.
void drop_second_arrays(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
