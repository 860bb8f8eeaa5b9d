// Conflicts between the iterations of a Foreach.
#pragma once

#include <set>

#include "greenmarl/diagnostics.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Reports results that depend on the order of a Foreach's iterations. These are warnings, because
/// published programs contain such conflicts intentionally: one iteration reads data that another
/// assigns; two iterations assign the same target; a collection is changed in two ways, or read
/// while it changes. These are errors: a target of combining writes is also read or assigned; two
/// operators combine into one target.
void check_races(const ir::Procedure& procedure, Diagnostics& diagnostics);

/// Returns the outer variables, properties, collections and maps to which iterations of the loop
/// have conflicting or combining accesses. Threads must access these atomically or under a lock.
[[nodiscard]] std::set<ir::SymbolId> shared_by_iterations(const ir::Procedure& procedure,
                                                          const ir::Stmt& loop);

}  // namespace Atoll::greenmarl
