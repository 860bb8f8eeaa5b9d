// Computes once for each node what every edge would compute from its far node alone.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// In loops over the neighbours of all nodes, an expression that depends on the neighbour only,
/// reads more than one array there or divides, and is evaluated at every edge (under no condition),
/// is computed into an array beforehand. Several random reads E times become the same N times, and
/// one E times. It isn't done if the loop writes what the expression reads, or if the expression
/// could fail.
void materialise_gathers(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
