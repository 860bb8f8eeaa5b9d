#include "greenmarl/loop_needs.hpp"

#include <algorithm>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

/// Adds the outer variables that `best` assigns together.
void collect_groups(const Stmt& loop, const ir::Effects& effects, LoopNeeds& needs) {
  ir::for_each_stmt(loop.body, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::best || stmt.group[0].node != ir::kNoSymbol ||
        effects.declared.contains(stmt.group[0].symbol))
      return;
    LoopReduction reduction{.op = stmt.op, .targets = {}};
    for (const ir::Place& place : stmt.group) reduction.targets.push_back(place.symbol);
    const auto same = [&](const LoopReduction& known) {
      return known.targets == reduction.targets;
    };
    if (std::ranges::none_of(needs.reductions, same))
      needs.reductions.push_back(std::move(reduction));
  });
}

}  // namespace

LoopNeeds needs_of_loop(const ir::Procedure& procedure, const Stmt& loop) {
  LoopNeeds needs;
  const ir::Effects effects = ir::effects_of(loop);
  needs.draws = effects.draws;
  for (const ir::SymbolAccess& access : effects.accesses)
    if (procedure[access.symbol].kind == ir::Symbol::Kind::property &&
        ir::element_type(procedure[access.symbol]).shape == Shape::value)
      needs.properties[access.symbol] |= access.writes();
  for (const ir::GraphUse& use : effects.graph)
    needs.graph_arrays.emplace(procedure[use.of].type.graph, use.array);
  for (const auto& [variable, at] : effects.read) {
    const ir::Symbol::Kind kind = procedure[variable].kind;
    if ((kind == ir::Symbol::Kind::scalar || kind == ir::Symbol::Kind::iterator) &&
        !effects.declared.contains(variable) && !effects.assigned.contains(variable))
      needs.variables.push_back(variable);
  }
  for (const auto& [variable, assignments] : effects.assigned) {
    if (effects.declared.contains(variable) || assignments.front().group) continue;
    if (assignments.front().op == AssignOp::set)
      needs.shared_variables.push_back(variable);
    else
      needs.reductions.push_back({assignments.front().op, {variable}});
  }
  collect_groups(loop, effects, needs);
  return needs;
}

bool can_take_pointers(const Stmt& loop) {
  if (loop.range != Range::nodes && loop.range != Range::edges) return false;
  if (ir::effects_of(loop.body).returns) return false;
  bool whole = false;
  ir::for_each_stmt(loop.body, [&](const Stmt& stmt) {
    whole = whole || stmt.kind == StmtKind::swap || stmt.kind == StmtKind::fill ||
            stmt.kind == StmtKind::traversal || (stmt.kind == StmtKind::loop && stmt.parallel) ||
            (stmt.kind == StmtKind::declare && stmt.serial);
  });
  return !whole;
}

}  // namespace Atoll::greenmarl
