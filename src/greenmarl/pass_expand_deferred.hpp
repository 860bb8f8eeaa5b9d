// Turns deferred assignments into plain assignments to a second array.
#pragma once

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A property p with deferred assignments gets a second array, p_nxt [shoal Table 1]. The
/// assignments write to p_nxt, which is copied to p when the loop that they are bound to ends.
/// Unless every element is certainly assigned, p_nxt is first initialised with p.
void expand_deferred(ir::Procedure& procedure);

}  // namespace Atoll::greenmarl
