#include "greenmarl/pass_fuse_loops.hpp"

#include <algorithm>
#include <iterator>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Effects;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

bool is_parallel_loop(const Stmt& stmt) {
  return stmt.kind == StmtKind::loop && stmt.parallel &&
         (stmt.range == Range::nodes || stmt.range == Range::edges);
}

bool combines(const ir::Assignment& assignment) {
  return assignment.op != AssignOp::set && !assignment.group;
}

/// True if `first` changes no variable that `second` uses.
bool variables_allow(const Effects& first, const Effects& second) {
  return std::ranges::all_of(first.assigned, [&](const auto& entry) {
    const auto& [variable, assignments] = entry;
    if (second.read.contains(variable)) return false;
    const auto other = second.assigned.find(variable);
    return other == second.assigned.end() ||
           (combines(assignments.front()) && combines(other->second.front()) &&
            other->second.front().op == assignments.front().op);  // same operator, so any order is
                                                                  // valid
  });
}

bool arrays_allow(const Effects& a, SymbolId a_node, const Effects& b, SymbolId b_node) {
  return std::ranges::all_of(a.accesses, [&](const ir::SymbolAccess& access) {
    return !access.writes() || !b.touches(access.symbol) ||
           (a.only_at(access.symbol, a_node) && b.only_at(access.symbol, b_node));
  });
}

bool can_fuse(const Stmt& first, const Stmt& second) {
  const Effects a = ir::effects_of(first.body), b = ir::effects_of(second.body);
  return first.range == second.range && first.node == second.node && !a.ordered() && !b.ordered() &&
         variables_allow(a, b) && variables_allow(b, a) &&
         arrays_allow(a, first.symbol, b, second.symbol) &&
         arrays_allow(b, second.symbol, a, first.symbol);
}

/// True if the statement, which follows the loop, can be moved before it.
bool can_move_before(const Stmt& stmt, const Stmt& loop) {
  if (stmt.kind != StmtKind::declare && stmt.kind != StmtKind::assign) return false;
  const Effects moved = ir::effects_of(stmt), around = ir::effects_of(loop.body);
  if (moved.ordered() || around.ordered()) return false;
  const bool reads_written = std::ranges::any_of(
      moved.accesses, [&](const ir::SymbolAccess& access) { return around.writes(access.symbol); });
  const bool uses_assigned = std::ranges::any_of(around.assigned, [&](const auto& entry) {
    return moved.read.contains(entry.first) || stmt.symbol == entry.first;
  });
  return !reads_written && !uses_assigned && !around.read.contains(stmt.symbol);
}

void fuse(std::vector<Stmt>& block) {
  for (std::size_t i = 0; i < block.size();) {
    std::size_t next = i + 1;
    if (is_parallel_loop(block[i]))
      while (next < block.size() && can_move_before(block[next], block[i])) ++next;
    if (next == block.size() || !is_parallel_loop(block[i]) || !is_parallel_loop(block[next]) ||
        !can_fuse(block[i], block[next])) {
      ++i;
      continue;
    }
    Stmt& first = block[i];
    Stmt& second = block[next];
    ir::replace_symbol(second.body, second.symbol, first.symbol);
    std::ranges::move(second.body, std::back_inserter(first.body));
    const auto loop = block.begin() + static_cast<std::ptrdiff_t>(i);
    const auto gone = block.erase(block.begin() + static_cast<std::ptrdiff_t>(next));
    std::rotate(loop, loop + 1, gone);  // moves the statements between the loops before the first
    i = next - 1;                       // revisits the loop, which may be fused with the next one
  }
}

}  // namespace

void fuse_loops(ir::Procedure& procedure) {
  ir::for_each_sequential_block(procedure.body, fuse);
}

}  // namespace Atoll::greenmarl
