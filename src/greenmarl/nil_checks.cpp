#include "greenmarl/nil_checks.hpp"

#include <set>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {

void drop_needless_nil_checks(ir::Procedure& procedure) {
  const ir::Effects effects = ir::effects_of(procedure.body);
  std::set<ir::SymbolId> sure;
  const auto is_sure = [&](ir::SymbolId symbol) {
    return symbol == ir::kNoSymbol || procedure[symbol].kind != ir::Symbol::Kind::scalar ||
           sure.contains(symbol);
  };
  ir::for_each_stmt(procedure.body, [&](const ir::Stmt& stmt) {
    if (stmt.kind != ir::StmtKind::declare || stmt.exprs.empty() ||
        effects.assigned.contains(stmt.symbol))
      return;
    const ir::Expr& value = stmt.exprs[0];
    if (value.kind == ir::ExprKind::edge_of || ir::is(value, Builtin::from_node) ||
        ir::is(value, Builtin::to_node) ||
        (value.kind == ir::ExprKind::node && is_sure(value.symbol)))
      sure.insert(stmt.symbol);
  });
  ir::for_each_stmt(procedure.body, [&](ir::Stmt& stmt) {
    for (ir::Expr& whole : stmt.exprs)
      ir::for_each_expr(whole, [&](ir::Expr& expr) {
        if (expr.kind != ir::ExprKind::convert && is_sure(expr.node)) expr.checked = false;
      });
    bool all = is_sure(stmt.node) && is_sure(stmt.other);
    for (const ir::Place& place : stmt.group) all = all && is_sure(place.node);
    if (all) stmt.checked = false;
  });
}

}  // namespace Atoll::greenmarl
