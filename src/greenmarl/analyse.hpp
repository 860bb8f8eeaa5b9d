// Finds how each array is used: who reaches it, in which order, how often [shoal §4].
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Which of the procedure's graphs this is; 0 for no graph, and for one that it declares.
[[nodiscard]] std::uint32_t number_of(const ir::Procedure& procedure, ir::SymbolId graph);

/// Returns the graph's own arrays that are used, then all properties in their order. Accesses of
/// one kind and order are merged, reads first. `needed` are the inputs that a run has to be given.
[[nodiscard]] std::vector<ArrayUse> analyse(const ir::Procedure& procedure,
                                            const std::set<ir::SymbolId>& needed);

}  // namespace Atoll::greenmarl
