// Fuses adjacent loops over all nodes.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Fuses two consecutive parallel loops over all nodes if two conditions hold: each accesses what
/// the other writes only at its own node, and neither needs a variable that the other combines
/// into. Statements on variables between the loops are moved before the first loop if possible.
void fuse_loops(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
