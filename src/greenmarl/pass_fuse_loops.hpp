// Fuses adjacent loops over all nodes.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Two parallel loops over all nodes that follow each other become one, if what one of them writes
/// is reached by the other at its own node only, and neither needs a variable that the other
/// combines. Statements on variables between them are moved before the first, if that is allowed.
void fuse_loops(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
