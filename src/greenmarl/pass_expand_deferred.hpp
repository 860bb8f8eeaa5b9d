// Turns deferred assignments into plain ones to a second array.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A property p with deferred assignments gets a second array, p_nxt [shoal Table 1]. The
/// assignments go there, and when the loop that they are bound to ends, p_nxt is copied to p. If it
/// isn't certain that every element is assigned, p_nxt first becomes a copy of p.
void expand_deferred(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
