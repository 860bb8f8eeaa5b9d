// Which properties a procedure reads before it has written them: a run has to be given these.
#pragma once

#include <set>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl::ir {

/// Returns the input properties of which an element may be read that the procedure hasn't written.
/// Conditions may go either way. An element counts as written behind an assignment to it, and all
/// do behind a loop over them that assigns each. Deferred assignments have to be there still.
[[nodiscard]] std::set<SymbolId> needed_inputs(const Procedure& procedure);

}  // namespace Atoll::greenmarl::ir
