// Arithmetic on variables that don't change in a loop is done before it.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// From loops over nodes, and from While and Do: the largest expressions that have an operator,
/// read only variables which the loop leaves alone, and cannot fail. C++ compilers can't do it
/// where array elements are stored that could, for all they know, be the variables.
void hoist_invariants(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
