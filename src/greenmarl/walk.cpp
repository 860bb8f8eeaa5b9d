// Collects effects in one walk.
#include "greenmarl/walk.hpp"

#include <algorithm>

namespace Atoll::greenmarl::ir {
namespace {

bool fails_here(const Expr& expr) {
  if (expr.kind == ExprKind::convert) return expr.checked;
  if (expr.kind != ExprKind::binary) return false;
  if (expr.binary != BinaryOp::divide && expr.binary != BinaryOp::modulo) return false;
  if (expr.type != Type::int32 && expr.type != Type::int64) return false;
  const Expr& divisor = expr.args[1];
  return divisor.kind != ExprKind::literal || std::get<std::int64_t>(divisor.literal) == 0;
}

void collect(const Expr& expr, Effects& effects) {
  if (fails_here(expr)) effects.may_fail = true;
  if (expr.kind == ExprKind::scalar || expr.kind == ExprKind::node)
    effects.read.emplace(expr.symbol, expr.at);
  if (expr.node != kNoSymbol) effects.read.emplace(expr.node, expr.at);
  if (expr.kind == ExprKind::property)
    effects.accesses.push_back({expr.symbol, expr.node, false, AssignOp::set, kNoSymbol, expr.at});
}

void collect(const Stmt& stmt, Effects& effects) {
  switch (stmt.kind) {
    case StmtKind::declare:
      effects.declared.insert(stmt.symbol);
      break;
    case StmtKind::assign:
      effects.assigned[stmt.symbol].push_back({stmt.op, stmt.at});
      break;
    case StmtKind::write:
      effects.read.emplace(stmt.node, stmt.at);
      effects.accesses.push_back({stmt.symbol, stmt.node, true, stmt.op, stmt.bound, stmt.at});
      break;
    case StmtKind::loop:
      effects.declared.insert(stmt.symbol);
      if (stmt.node != kNoSymbol) effects.read.emplace(stmt.node, stmt.at);
      break;
    case StmtKind::fill:
      effects.accesses.push_back({stmt.symbol, kNoSymbol, true, AssignOp::set, kNoSymbol, stmt.at});
      break;
    case StmtKind::copy:
    case StmtKind::swap:
      for (const SymbolId array : {stmt.symbol, stmt.other})
        for (const bool write : {false, true})
          effects.accesses.push_back({array, kNoSymbol, write, AssignOp::set, kNoSymbol, stmt.at});
      break;
    case StmtKind::return_:
      effects.returns = true;
      break;
    case StmtKind::if_:
    case StmtKind::while_:
    case StmtKind::do_while:
      break;
  }
  for (const Expr& expr : stmt.exprs)
    for_each_expr(expr, [&](const Expr& part) { collect(part, effects); });
}

void rename(SymbolId& symbol, SymbolId from, SymbolId to) {
  if (symbol == from) symbol = to;
}

}  // namespace

bool Effects::writes(SymbolId array) const {
  return std::ranges::any_of(accesses,
                             [&](const ArrayAccess& a) { return a.array == array && a.write; });
}

bool Effects::reads(SymbolId array) const {
  return std::ranges::any_of(accesses,
                             [&](const ArrayAccess& a) { return a.array == array && !a.write; });
}

bool Effects::only_at(SymbolId array, SymbolId node) const {
  return std::ranges::all_of(accesses, [&](const ArrayAccess& access) {
    return access.array != array || access.node == node;
  });
}

Effects effects_of(const std::vector<Stmt>& statements) {
  Effects effects;
  for_each_stmt(statements, [&](const Stmt& stmt) { collect(stmt, effects); });
  return effects;
}

Effects effects_of(const Stmt& statement) {
  Effects effects;
  collect(statement, effects);
  for (const auto* block : {&statement.condition, &statement.body, &statement.otherwise})
    for_each_stmt(*block, [&](const Stmt& stmt) { collect(stmt, effects); });
  return effects;
}

bool may_fail(const Expr& expr) {
  bool any = false;
  for_each_expr(expr, [&](const Expr& part) { any = any || fails_here(part); });
  return any;
}

void replace_symbol(Expr& expr, SymbolId from, SymbolId to) {
  for_each_expr(expr, [&](Expr& part) {
    rename(part.symbol, from, to);
    rename(part.node, from, to);
  });
}

void replace_symbol(std::vector<Stmt>& statements, SymbolId from, SymbolId to) {
  for_each_stmt(statements, [&](Stmt& stmt) {
    for (SymbolId* symbol : {&stmt.symbol, &stmt.node, &stmt.other, &stmt.bound})
      rename(*symbol, from, to);
    for (Expr& expr : stmt.exprs) replace_symbol(expr, from, to);
  });
}

}  // namespace Atoll::greenmarl::ir
