#include "greenmarl/pass_drop_second_arrays.hpp"

#include <algorithm>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

struct Pair {
  SymbolId first, second;
};

bool is_first_copy(const Stmt& stmt, Pair pair) {
  return stmt.kind == StmtKind::write && stmt.symbol == pair.second &&
         stmt.exprs[0].kind == ExprKind::property && stmt.exprs[0].symbol == pair.first &&
         stmt.exprs[0].node == stmt.node;
}

bool reads_first(const Stmt& stmt, Pair pair) {
  bool found = false;
  for (const Expr& whole : stmt.exprs)
    ir::for_each_expr(whole, [&](const Expr& expr) {
      found = found || (expr.kind == ExprKind::property && expr.symbol == pair.first);
    });
  return found;
}

/// True if one iteration may read p after it assigned p_nxt. `assigned` states whether p_nxt may be
/// assigned before the statements; it is updated to the state after them.
bool read_after_assignment(const std::vector<Stmt>& statements, Pair pair, bool& assigned) {
  for (const Stmt& stmt : statements) {
    if (is_first_copy(stmt, pair)) continue;
    const bool repeats = stmt.kind == StmtKind::loop || stmt.kind == StmtKind::while_ ||
                         stmt.kind == StmtKind::do_while;
    if (repeats && ir::effects_of(stmt).writes(pair.second)) assigned = true;
    if (assigned && reads_first(stmt, pair)) return true;
    if (stmt.kind == StmtKind::write && stmt.symbol == pair.second) assigned = true;
    bool after = assigned;
    for (const auto* block : {&stmt.body, &stmt.otherwise, &stmt.condition}) {
      bool within = assigned;
      if (read_after_assignment(*block, pair, within)) return true;
      after = after || within;
    }
    assigned = after;
  }
  return false;
}

bool can_drop(const Stmt& loop, Pair pair) {
  const ir::Effects effects = ir::effects_of(loop.body);
  bool assigned = false;
  return (loop.range == Range::nodes || loop.range == Range::edges) && !effects.returns &&
         !effects.foreign && effects.only_at(pair.first, loop.symbol) &&
         effects.only_at(pair.second, loop.symbol) &&
         !read_after_assignment(loop.body, pair, assigned);
}

}  // namespace

void drop_second_arrays(Procedure& procedure) {
  ir::for_each_sequential_block(procedure.body, [&](std::vector<Stmt>& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (block[i].kind != StmtKind::loop) continue;
      for (std::size_t copy = i + 1; copy < block.size() && block[copy].kind == StmtKind::copy;) {
        const Pair pair{block[copy].symbol, block[copy].other};
        if (!can_drop(block[i], pair)) {
          ++copy;
          continue;
        }
        std::erase_if(block[i].body, [&](const Stmt& stmt) { return is_first_copy(stmt, pair); });
        ir::replace_symbol(block[i].body, pair.second, pair.first);
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(copy));
      }
    }
  });
  const ir::Effects effects = ir::effects_of(procedure.body);
  std::erase_if(procedure.properties, [&](SymbolId property) {
    return procedure[property].second_of != ir::kNoSymbol && !effects.touches(property);
  });
}

}  // namespace Atoll::greenmarl
