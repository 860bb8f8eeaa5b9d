// Turns loops that give every node the same value into fills.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// This applies to parallel loops over all nodes that only assign a value which is the same for all
/// of them.
void recognise_fills(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
