#include "greenmarl/element_class.hpp"

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Stmt;
using ir::StmtKind;
using Own = ElementClass::Own;

bool follows_levels(const Stmt& loop) {
  return loop.range == Range::up_nbrs || loop.range == Range::down_nbrs;
}

bool follows_edges(const Stmt& loop) {
  return loop.range == Range::out_nbrs || loop.range == Range::in_nbrs || follows_levels(loop);
}

/// True if the loop iterates over sources of in-edges.
bool follows_in_edges(const Stmt& loop) {
  return loop.range == Range::in_nbrs || (loop.range == Range::up_nbrs && !loop.transposed) ||
         (loop.range == Range::down_nbrs && loop.transposed);
}

/// Returns the level of the iterator of a loop over UpNbrs or DownNbrs, given its node's level.
Level next_level(const Stmt& loop, Level level) {
  level.steps += loop.range == Range::up_nbrs ? -1 : 1;
  return level;
}

}  // namespace

bool may_alias(const ElementClass& a, const ElementClass& b) {
  if (a.own != Own::no && a.own == b.own) return false;
  const bool comparable = a.level && b.level && a.level->traversal == b.level->traversal &&
                          a.level->base == b.level->base;
  return !comparable || a.level->steps == b.level->steps;
}

void add_levels(const Stmt& loop, Levels& levels) {
  if (loop.range == Range::level) levels[loop.symbol] = {loop.node, loop.symbol};
  if (!follows_levels(loop)) return;
  auto known = levels.find(loop.node);
  if (known == levels.end() || known->second.traversal != loop.other) {
    if (ir::effects_of(loop.body).assigned.contains(loop.node)) return;
    known = levels.insert_or_assign(loop.node, Level{loop.other, loop.node}).first;
  }
  levels[loop.symbol] = next_level(loop, known->second);
}

ElementClassifier::ElementClassifier(const Stmt& loop, const Levels& around) {
  Levels levels = around;
  add_levels(loop, levels);
  for (const auto& [node, level] : levels) classes_[node].level = level;
  classes_[loop.symbol].own = Own::element;
  if (follows_edges(loop)) edges_[loop.symbol] = Own::edge_to_it;
  ir::for_each_stmt(loop.body, [&](const Stmt& stmt) { add_symbols_of(stmt); });
  for (const auto& [symbol, assignments] : ir::effects_of(loop.body).assigned)
    classes_.erase(symbol);  // an assigned variable may hold any element
}

ElementClass ElementClassifier::of(ir::SymbolId element) const {
  const auto known = classes_.find(element);
  return known == classes_.end() ? ElementClass{} : known->second;
}

void ElementClassifier::add_symbols_of(const Stmt& stmt) {
  if (stmt.kind == StmtKind::loop && follows_edges(stmt)) add_neighbours_of(stmt);
  if (stmt.kind != StmtKind::declare || stmt.exprs.empty()) return;
  const ir::Expr& value = stmt.exprs[0];
  if (value.kind == ir::ExprKind::node && of(value.symbol).known())
    classes_[stmt.symbol] = of(value.symbol);
  if (value.kind != ir::ExprKind::edge_of) return;
  if (const auto edge = edges_.find(value.node); edge != edges_.end())
    classes_[stmt.symbol].own = edge->second;
}

void ElementClassifier::add_neighbours_of(const Stmt& loop) {
  const ElementClass from = of(loop.node);
  if (from.own == Own::element)
    edges_[loop.symbol] = follows_in_edges(loop) ? Own::in_edge : Own::out_edge;
  if (follows_levels(loop) && from.level && from.level->traversal == loop.other)
    classes_[loop.symbol].level = next_level(loop, *from.level);
}

}  // namespace Atoll::greenmarl
