// Finds properties that a procedure may read before it writes them. A run must provide these.
#pragma once

#include <set>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl::ir {

/// Returns the input properties that may be read at an element before the procedure has written it.
/// Both branches of a condition are assumed possible. An element counts as written after an
/// assignment to it. All elements count as written after a loop over all of them that assigns each.
/// Deferred assignments must not have been expanded yet.
[[nodiscard]] std::set<SymbolId> needed_inputs(const Procedure& procedure);

}  // namespace Atoll::greenmarl::ir
