#include "greenmarl/effects.hpp"

#include <algorithm>

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl::ir {
namespace {

bool divides_by_what_may_be_zero(const Expr& expr) {
  if (expr.kind != ExprKind::binary || !is_integer(expr.type)) return false;
  if (expr.binary != BinaryOp::divide && expr.binary != BinaryOp::modulo) return false;
  const Expr& divisor = expr.args[1];
  return divisor.kind != ExprKind::literal || std::get<std::int64_t>(divisor.literal) == 0;
}

bool fails_here(const Expr& expr) {
  return expr.checked || divides_by_what_may_be_zero(expr) ||
         (expr.kind == ExprKind::builtin && row_of(expr.builtin, expr.receiver).may_fail);
}

bool is_held(Receiver receiver) {
  return receiver >= Receiver::set;
}

/// Returns the iterator or variable that is a map's key, or kNoSymbol.
SymbolId key_of(const std::vector<Expr>& exprs) {
  return !exprs.empty() && exprs[0].kind == ExprKind::node ? exprs[0].symbol : kNoSymbol;
}

void builtin(const Expr& expr, Effects& effects) {
  const BuiltinRow& row = row_of(expr.builtin, expr.receiver);
  effects.draws = effects.draws || row.draws;
  if (is_held(expr.receiver))
    effects.accesses.push_back(
        {.symbol = expr.symbol,
         .node = expr.receiver == Receiver::map ? key_of(expr.args) : expr.node,
         .action = row.mutates ? Action::change : Action::read,
         .builtin = expr.builtin,
         .bound = {},
         .at = expr.at});
  const bool search = row.out_ends && row.out_begin;
  // IsNbrFrom searches the edges of its argument.
  const SymbolId at = expr.builtin == Builtin::has_edge_from || expr.builtin == Builtin::from_node
                          ? kNoSymbol
                          : expr.node;
  if (row.out_begin)
    effects.graph.push_back({GraphArray::begin, at, expr.node, row.builtin == Builtin::from_node});
  if (row.in_begin) effects.graph.push_back({GraphArray::r_begin, at, expr.node});
  if (row.out_ends) effects.graph.push_back({GraphArray::node_idx, at, expr.node, search});
}

void collect(const Expr& expr, Effects& effects) {
  if (fails_here(expr)) effects.may_fail = true;
  if (expr.kind == ExprKind::scalar || expr.kind == ExprKind::node)
    effects.read.emplace(expr.symbol, expr.at);
  if (expr.node != kNoSymbol) effects.read.emplace(expr.node, expr.at);
  if (expr.kind == ExprKind::property || expr.kind == ExprKind::collection)
    effects.accesses.push_back(
        {.symbol = expr.symbol, .node = expr.node, .bound = {}, .at = expr.at});
  if (expr.kind == ExprKind::edge_of && expr.negative)
    effects.graph.push_back({GraphArray::r_edge_idx, expr.node, expr.node});
  if (expr.kind == ExprKind::builtin) builtin(expr, effects);
  if (expr.kind == ExprKind::foreign) effects.foreign = true;
}

void access(Effects& effects, Place place, Action action, AssignOp op, const Stmt& stmt,
            bool group = false) {
  if (place.node != kNoSymbol) effects.read.emplace(place.node, stmt.at);
  effects.accesses.push_back({.symbol = place.symbol,
                              .node = place.node,
                              .action = action,
                              .op = op,
                              .bound = stmt.bound,
                              .at = stmt.at,
                              .group = group});
}

void range(const Stmt& loop, Effects& effects) {
  switch (loop.range) {
    case Range::nodes:
    case Range::edges:
      return;
    case Range::out_nbrs:
    case Range::in_nbrs:
    case Range::up_nbrs:
    case Range::down_nbrs: {
      effects.read.emplace(loop.node, loop.at);
      const bool down = loop.range == Range::down_nbrs;
      const bool in = loop.range == Range::in_nbrs ||
                      (loop.range == Range::up_nbrs && !loop.transposed) ||
                      (down && loop.transposed);
      effects.graph.push_back({bounds_array(!in), loop.node, loop.node});
      effects.graph.push_back({ends_array(!in), loop.node, loop.node, true});
      if (loop.range == Range::up_nbrs || down) effects.traversals.insert(loop.other);
      return;
    }
    case Range::items:
      if (loop.other != kNoSymbol) effects.read.emplace(loop.other, loop.at);
      effects.accesses.push_back(
          {.symbol = loop.node, .node = loop.other, .bound = {}, .at = loop.at});
      return;
    case Range::common_nbrs:
      for (const SymbolId node : {loop.node, loop.other}) {
        effects.read.emplace(node, loop.at);
        effects.graph.push_back({GraphArray::begin, node, node});
        effects.graph.push_back({GraphArray::node_idx, node, node, true});
      }
      return;
    case Range::level:
      effects.traversals.insert(loop.node);
      return;
  }
}

void traversal(const Stmt& stmt, Effects& effects) {
  effects.declared.insert(stmt.symbol);
  for (const SymbolId iterator : {stmt.node, stmt.other})
    if (iterator != kNoSymbol) effects.declared.insert(iterator);
  effects.traverses = true;
  effects.graph.push_back({bounds_array(!stmt.transposed), kNoSymbol, stmt.symbol});
  effects.graph.push_back({ends_array(!stmt.transposed), kNoSymbol, stmt.symbol, true});
}

void collect(const Stmt& stmt, Effects& effects) {
  if (stmt.checked) effects.may_fail = true;
  switch (stmt.kind) {
    case StmtKind::declare:
      effects.declared.insert(stmt.symbol);
      break;
    case StmtKind::assign:
      effects.assigned[stmt.symbol].push_back({stmt.op, stmt.at});
      break;
    case StmtKind::write:
      access(effects, {stmt.symbol, stmt.node},
             stmt.op == AssignOp::set ? Action::assign : Action::combine, stmt.op, stmt);
      break;
    case StmtKind::map_write:
      access(effects, {stmt.symbol, key_of(stmt.exprs)},
             stmt.op == AssignOp::set ? Action::assign : Action::combine, stmt.op, stmt);
      break;
    case StmtKind::take:
      access(effects, stmt.group[0], Action::assign, AssignOp::set, stmt);
      if (stmt.group.size() > 1) access(effects, stmt.group[1], Action::read, AssignOp::set, stmt);
      break;
    case StmtKind::best:
      for (const Place& place : stmt.group) {
        if (place.node == kNoSymbol)
          effects.assigned[place.symbol].push_back({stmt.op, stmt.at, true});
        else
          access(effects, place, Action::combine, stmt.op, stmt, true);
      }
      break;
    case StmtKind::foreign:
      effects.foreign = true;
      for (const Place& place : stmt.group) {
        if (place.node == kNoSymbol && stmt.kind == StmtKind::foreign)
          effects.assigned[place.symbol].push_back({AssignOp::set, stmt.at});
        access(effects, place, Action::assign, AssignOp::set, stmt);
      }
      break;
    case StmtKind::loop:
      effects.declared.insert(stmt.symbol);
      range(stmt, effects);
      break;
    case StmtKind::traversal:
      traversal(stmt, effects);
      break;
    case StmtKind::fill:
      access(effects, {stmt.symbol}, Action::assign, AssignOp::set, stmt);
      break;
    case StmtKind::copy:
      access(effects, {stmt.other}, Action::read, AssignOp::set, stmt);
      access(effects, {stmt.symbol}, Action::assign, AssignOp::set, stmt);
      break;
    case StmtKind::swap:
      for (const SymbolId array : {stmt.symbol, stmt.other})
        for (const Action action : {Action::read, Action::assign})
          access(effects, {array}, action, AssignOp::set, stmt);
      break;
    case StmtKind::return_:
    case StmtKind::leave:
      effects.returns = true;
      break;
    case StmtKind::call:
    case StmtKind::if_:
    case StmtKind::while_:
    case StmtKind::do_while:
    case StmtKind::region:
      break;
  }
  for (const Expr& expr : stmt.exprs)
    for_each_expr(expr, [&](const Expr& part) { collect(part, effects); });
}

}  // namespace

bool Effects::writes(SymbolId symbol) const {
  return std::ranges::any_of(
      accesses, [&](const SymbolAccess& a) { return a.symbol == symbol && a.writes(); });
}

bool Effects::reads(SymbolId symbol) const {
  return std::ranges::any_of(
      accesses, [&](const SymbolAccess& a) { return a.symbol == symbol && !a.writes(); });
}

bool Effects::only_at(SymbolId symbol, SymbolId node) const {
  return std::ranges::all_of(accesses, [&](const SymbolAccess& access) {
    return access.symbol != symbol || access.node == node;
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

Effects effects_here(const Stmt& statement) {
  Effects effects;
  collect(statement, effects);
  return effects;
}

Effects effects_of(const Expr& expr) {
  Effects effects;
  for_each_expr(expr, [&](const Expr& part) { collect(part, effects); });
  return effects;
}

bool may_fail(const Expr& expr) {
  bool any = false;
  for_each_expr(expr, [&](const Expr& part) { any = any || fails_here(part); });
  return any;
}

}  // namespace Atoll::greenmarl::ir
