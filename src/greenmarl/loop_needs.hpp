// What the code of a loop needs at its start: pointers to arrays, variables from outside,
// reductions.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// What the iterations of a loop combine into variables from outside.
struct LoopReduction {
  AssignOp op = AssignOp::sum;
  /// One variable; or several that are assigned together, of which the first decides.
  std::vector<ir::SymbolId> targets;
};

struct LoopNeeds {
  std::map<ir::SymbolId, bool> properties;                         ///< true if the loop writes it
  std::set<std::pair<ir::SymbolId, ir::GraphArray>> graph_arrays;  ///< and whose they are
  std::vector<ir::SymbolId> variables;                             ///< from outside, and only read
  std::vector<ir::SymbolId> shared_variables;  ///< from outside, and assigned in no order
  std::vector<LoopReduction> reductions;
  bool draws = false;
};
[[nodiscard]] LoopNeeds needs_of_loop(const ir::Procedure& procedure, const ir::Stmt& loop);

/// True if a loop of one thread can work on raw pointers: it holds no parallel loop and nothing
/// that is done to whole arrays, is left at its end only, and runs over so much that taking the
/// pointers costs nothing.
[[nodiscard]] bool can_take_pointers(const ir::Stmt& loop);

}  // namespace Atoll::greenmarl
