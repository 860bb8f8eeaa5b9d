// Keeps a property that an inner loop combines into in a variable during the loop.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// If a loop only combines into p of one node from outside of it, always with one operator, p of
/// that node is read before the loop and assigned after it. C++ compilers would store at every
/// step, since any array could be any other.
void privatise_reductions(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
