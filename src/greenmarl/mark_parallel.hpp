// Decides which loops the threads share.
#pragma once

#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Marks each Foreach over nodes, edges, a level, or a set or order that stands in no other loop so
/// marked, and isn't serial. A sequence may hold a node twice, so one thread runs over it.
void mark_parallel_loops(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
