// Removes NIL checks that can't fail.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A variable that is never assigned after its declaration can't be NIL if its initial value can't:
/// the edge that led to an iterator, an end of an edge, an iterator, or another such variable.
void drop_needless_nil_checks(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
