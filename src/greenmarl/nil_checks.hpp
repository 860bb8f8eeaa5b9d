// Tests for NIL that can't fail are left out.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A variable that is never assigned after its declaration is no NIL if its value is none: the edge
/// that led to an iterator, an edge's end, an iterator, another such variable.
void drop_needless_nil_checks(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
