// Conflicts between the iterations of a Foreach.
#pragma once

#include <set>

#include "greenmarl/diagnostics.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Reports what depends on the order of a Foreach's iterations. Programs that are published have
/// conflicts on purpose, so these are warnings: one iteration reads what another assigns; two
/// assign; a collection is changed in two ways, or read while it is changed. Errors: what others
/// combine is read or assigned; two operators combine into one target.
void check_races(const ir::Procedure& procedure, Diagnostics& diagnostics);

/// The variables, properties, collections and maps from outside that iterations of the loop reach
/// in conflict, or combine into: threads reach them by atomic operations, or under a lock.
[[nodiscard]] std::set<ir::SymbolId> shared_by_iterations(const ir::Procedure& procedure,
                                                          const ir::Stmt& loop);

}  // namespace Atoll::greenmarl
