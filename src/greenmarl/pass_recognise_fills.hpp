// Turns loops that assign the same value to every node into fills.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Applies to parallel loops over all nodes that only assign a value that is the same for all
/// nodes.
void recognise_fills(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
