// Moves arithmetic on variables that don't change in a loop before the loop.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// It moves, from loops over nodes and from While and Do, the largest expressions that have an
/// operator, read only variables which the loop doesn't change, and cannot fail. C++ compilers
/// can't do this if array elements are stored, since these might be the variables as far as they
/// know.
void hoist_invariants(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
