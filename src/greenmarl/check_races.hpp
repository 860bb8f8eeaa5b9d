// Checks what iterations of a Foreach may not do to each other.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Throws SourceError if the outcome would depend on the order of a Foreach's iterations: a plain
/// assignment to a variable from outside of it, or to a property of a node that other iterations
/// may reach too; a property that is written and read at other nodes; a reduction's target that is
/// read, or combined in two ways, before the loop ends.
void check_races(const ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
