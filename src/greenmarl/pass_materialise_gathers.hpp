// What every edge would compute from its far node alone is computed once for each node.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// In loops over the neighbours of all nodes: an expression that depends on the neighbour only,
/// reads more than one array there or divides, and is evaluated at every edge (under no condition),
/// is computed into an array beforehand. Instead of E times several random reads: N times, and E
/// times one. Not where the loop writes what the expression reads, nor where the expression could
/// fail.
void materialise_gathers(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
