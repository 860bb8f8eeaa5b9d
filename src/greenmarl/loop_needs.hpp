// The requirements of a loop's code at its start: pointers to arrays, outer variables, reductions.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A reduction of the iterations into outer variables.
struct LoopReduction {
  AssignOp op = AssignOp::sum;
  /// One variable, or several that are assigned together; the first decides.
  std::vector<ir::SymbolId> targets;
};

struct LoopNeeds {
  std::map<ir::SymbolId, bool> properties;                         ///< true if written
  std::set<std::pair<ir::SymbolId, ir::GraphArray>> graph_arrays;  ///< and the graphs that own them
  std::vector<ir::SymbolId> variables;                             ///< outer, only read
  std::vector<ir::SymbolId> shared_variables;  ///< outer, assigned by iterations in any order
  std::vector<LoopReduction> reductions;
  bool draws = false;
};
[[nodiscard]] LoopNeeds needs_of_loop(const ir::Procedure& procedure, const ir::Stmt& loop);

/// True if a sequential loop can use raw pointers. It must contain no parallel loop and no
/// operation on whole arrays, must be left only at its end, and must have so many iterations that
/// obtaining the pointers is negligible.
[[nodiscard]] bool can_take_pointers(const ir::Stmt& loop);

}  // namespace Atoll::greenmarl
