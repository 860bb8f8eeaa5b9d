#include "greenmarl/pass_recognise_fills.hpp"

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

bool is_fill(const Stmt& loop) {
  if (loop.kind != StmtKind::loop || !loop.parallel || loop.body.size() != 1 ||
      (loop.range != Range::nodes && loop.range != Range::edges))
    return false;
  const Stmt& only = loop.body[0];
  if (only.kind != StmtKind::write || only.op != AssignOp::set || only.node != loop.symbol)
    return false;
  bool same_everywhere = true;
  ir::for_each_expr(only.exprs[0], [&](const Expr& expr) {
    if (expr.node != ir::kNoSymbol || expr.kind == ExprKind::node || expr.kind == ExprKind::foreign)
      same_everywhere = false;
  });
  return same_everywhere;
}

}  // namespace

void recognise_fills(ir::Procedure& procedure) {
  ir::for_each_stmt(procedure.body, [](Stmt& stmt) {
    if (!is_fill(stmt)) return;
    Stmt fill = std::move(stmt.body[0]);
    fill.kind = StmtKind::fill;
    fill.node = ir::kNoSymbol;
    stmt = std::move(fill);
  });
}

}  // namespace Atoll::greenmarl
