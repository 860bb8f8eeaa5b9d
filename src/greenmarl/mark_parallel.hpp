// Selects the loops that threads share.
#pragma once

#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Marks each Foreach over nodes, edges, a level, a set or an order, if it isn't serial and isn't
/// inside another marked loop. A sequence may contain a node twice, so its loops stay on one
/// thread.
void mark_parallel_loops(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
