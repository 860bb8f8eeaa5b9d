#include "greenmarl/pass_hoist_invariants.hpp"

#include <algorithm>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

bool is_loop(const Stmt& stmt) {
  return stmt.kind == StmtKind::loop || stmt.kind == StmtKind::while_ ||
         stmt.kind == StmtKind::do_while;
}

class Hoister {
 public:
  explicit Hoister(ir::Procedure& procedure) : procedure_(procedure) {}

  /// Processes outer loops first, so that an expression is moved out of as many loops as possible.
  void block(std::vector<Stmt>& statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      if (is_loop(statements[i])) {
        const std::vector<Stmt> before = from_loop(statements[i]);
        statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(i), before.begin(),
                          before.end());
        i += before.size();
      }
      Stmt& stmt = statements[i];
      if (stmt.kind == StmtKind::loop) continue;
      block(stmt.condition);
      block(stmt.body);
      block(stmt.otherwise);
    }
  }

 private:
  std::vector<Stmt> from_loop(Stmt& loop) {
    const ir::Effects effects = ir::effects_of(loop);
    std::vector<Stmt> before;
    for (Expr& expr : loop.exprs) expression(expr, effects, before);
    for (auto* block : {&loop.condition, &loop.body})
      ir::for_each_stmt(*block, [&](Stmt& stmt) {
        for (Expr& expr : stmt.exprs) expression(expr, effects, before);
      });
    return before;
  }

  void expression(Expr& expr, const ir::Effects& loop, std::vector<Stmt>& before) {
    if (!invariant(expr, loop)) {
      for (Expr& arg : expr.args) expression(arg, loop, before);
      return;
    }
    const auto same =
        std::ranges::find_if(before, [&](const Stmt& hoisted) { return hoisted.exprs[0] == expr; });
    ir::SymbolId symbol;
    if (same != before.end()) {
      symbol = same->symbol;
    } else {
      symbol = procedure_.add({.name = "invariant", .type = expr.type, .at = expr.at});
      before.push_back(ir::declare(symbol, expr.at, {expr}));
    }
    expr = ir::scalar(procedure_, symbol, expr.at);
  }

  static bool invariant(const Expr& whole, const ir::Effects& loop) {
    if (ir::may_fail(whole)) return false;
    bool fixed = true, calculates = false, reads = false;
    ir::for_each_expr(whole, [&](const Expr& expr) {
      switch (expr.kind) {
        case ExprKind::scalar:
          reads = true;
          fixed =
              fixed && !loop.declared.contains(expr.symbol) && !loop.assigned.contains(expr.symbol);
          break;
        case ExprKind::builtin:
          reads = true;
          fixed = fixed && (ir::is(expr, Builtin::node_count) || ir::is(expr, Builtin::edge_count));
          break;
        case ExprKind::binary:
          calculates = calculates || is_arithmetic(expr.binary);
          break;
        case ExprKind::node:
        case ExprKind::property:
        case ExprKind::edge_of:
        case ExprKind::collection:
        case ExprKind::foreign:
          fixed = false;
          break;
        case ExprKind::literal:
        case ExprKind::infinity:
        case ExprKind::nil:
        case ExprKind::unary:
        case ExprKind::conditional:
        case ExprKind::convert:
          break;
      }
    });
    return fixed && calculates && reads;
  }

  ir::Procedure& procedure_;
};

}  // namespace

void hoist_invariants(ir::Procedure& procedure) {
  Hoister(procedure).block(procedure.body);
}

}  // namespace Atoll::greenmarl
