// Determines how each array is used: by which loops, in which order, and how often [shoal §4].
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Returns the graph's index among the procedure's graphs; 0 if `graph` is none or a local graph.
[[nodiscard]] std::uint32_t number_of(const ir::Procedure& procedure, ir::SymbolId graph);

/// Returns the used arrays of the graphs, then all properties in order of declaration. Accesses of
/// one kind and order are merged, reads first. `needed` has the inputs that a run must provide.
[[nodiscard]] std::vector<ArrayUse> analyse(const ir::Procedure& procedure,
                                            const std::set<ir::SymbolId>& needed);

}  // namespace Atoll::greenmarl
