// Moves loop-invariant arithmetic on variables before the loop.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Applies to loops over nodes and to While and Do. Moves the largest expressions that have an
/// operator, read only variables that the loop doesn't change, and can't fail. C++ compilers can't
/// do this if the loop stores array elements, because these may alias the variables.
void hoist_invariants(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
