// Replaces a property that an inner loop combines into by a variable during the loop.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Applies if a loop only combines into p of one outer node, always with the same operator. p of
/// that node is then read before the loop and assigned after it. C++ compilers would store in every
/// iteration, because arrays may alias.
void privatise_reductions(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
