#include "greenmarl/loop_needs.hpp"

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

void collect_graph_arrays(const Stmt& stmt, std::set<ir::GraphArray>& arrays) {
  if (stmt.kind == StmtKind::loop && stmt.range != Range::nodes) {
    const bool out = stmt.range == Range::out_nbrs;
    arrays.insert({ir::bounds_array(out), ir::ends_array(out)});
  }
  for (const Expr& whole : stmt.exprs)
    ir::for_each_expr(whole, [&](const Expr& expr) {
      if (expr.kind == ExprKind::out_degree) arrays.insert(ir::GraphArray::begin);
      if (expr.kind == ExprKind::in_degree) arrays.insert(ir::GraphArray::r_begin);
    });
}

}  // namespace

LoopNeeds needs_of_loop(const Stmt& loop) {
  LoopNeeds needs;
  const ir::Effects effects = ir::effects_of(loop);
  for (const ir::ArrayAccess& access : effects.accesses)
    needs.properties[access.array] |= access.write;
  collect_graph_arrays(loop, needs.graph_arrays);
  ir::for_each_stmt(loop.body,
                    [&](const Stmt& stmt) { collect_graph_arrays(stmt, needs.graph_arrays); });
  for (const auto& [variable, at] : effects.read)
    if (!effects.declared.contains(variable) && !effects.assigned.contains(variable))
      needs.variables.push_back(variable);
  for (const auto& [variable, assignments] : effects.assigned)
    if (!effects.declared.contains(variable))
      needs.reductions.emplace_back(variable, assignments.front().op);
  return needs;
}

bool holds_whole_array_work(const Stmt& loop) {
  bool found = false;
  ir::for_each_stmt(loop.body, [&](const Stmt& stmt) {
    found = found || stmt.kind == StmtKind::swap || stmt.kind == StmtKind::fill ||
            (stmt.kind == StmtKind::loop && stmt.parallel);
  });
  return found;
}

}  // namespace Atoll::greenmarl
