// What the code of a loop needs at its start: pointers to arrays, variables from outside,
// reductions.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

struct LoopNeeds {
  std::map<ir::SymbolId, bool> properties;  ///< true if the loop writes it
  std::set<ir::GraphArray> graph_arrays;
  std::vector<ir::SymbolId> variables;                        ///< from outside, and only read
  std::vector<std::pair<ir::SymbolId, AssignOp>> reductions;  ///< into variables from outside
};
[[nodiscard]] LoopNeeds needs_of_loop(const ir::Stmt& loop);

/// True if the loop contains work that only works outside of loops over raw pointers: a parallel
/// loop, a fill or an exchange of arrays.
[[nodiscard]] bool holds_whole_array_work(const ir::Stmt& loop);

}  // namespace Atoll::greenmarl
