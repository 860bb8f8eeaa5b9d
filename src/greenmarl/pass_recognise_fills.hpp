// Loops that give every node the same value become fills.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A parallel loop over all nodes that does nothing but assign a value which is the same for all of
/// them.
void recognise_fills(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
