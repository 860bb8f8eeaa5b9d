// Computes an expression that depends only on an edge's far node once for each node.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Applies to loops over the neighbours of all nodes. An expression is computed into an array
/// beforehand if it depends only on the neighbour, is evaluated unconditionally at every edge, and
/// reads more than one array there or divides. This replaces E random reads of several arrays by N
/// of each, and E of one array. Doesn't apply if the loop writes data that the expression reads, or
/// if the expression can fail.
void materialise_gathers(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
