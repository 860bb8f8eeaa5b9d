#include "greenmarl/pass_privatise_reductions.hpp"

#include <algorithm>

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::ArrayAccess;
using ir::Effects;
using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

/// The first access of an array that the loop only combines into, at one outer node.
const ArrayAccess* candidate(const Stmt& loop, const Effects& effects) {
  if (effects.returns) return nullptr;
  for (const ArrayAccess& first : effects.accesses) {
    const bool all_alike = std::ranges::all_of(effects.accesses, [&](const ArrayAccess& other) {
      return other.array != first.array ||
             (other.write && other.op == first.op && other.node == first.node);
    });
    if (all_alike && first.write && first.op != AssignOp::set && first.node != loop.symbol &&
        first.node != ir::kNoSymbol && !effects.declared.contains(first.node) &&
        !effects.assigned.contains(first.node))
      return &first;
  }
  return nullptr;
}

void privatise(Procedure& procedure, std::vector<Stmt>& block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i].kind == StmtKind::loop && !block[i].parallel) {
      const Effects effects = ir::effects_of(block[i].body);
      if (const ArrayAccess* found = candidate(block[i], effects)) {
        const ArrayAccess& access = *found;
        const ir::Symbol& property = procedure[access.array];
        const SymbolId variable =
            procedure.add({.name = "own_" + property.name, .type = property.type, .at = access.at});
        ir::for_each_stmt(block[i].body, [&](Stmt& stmt) {
          if (stmt.kind == StmtKind::write && stmt.symbol == access.array)
            stmt = ir::assign(variable, access.op, std::move(stmt.exprs[0]), stmt.at);
        });
        const auto here = block.begin() + static_cast<std::ptrdiff_t>(i);
        const auto loop = block.insert(
            here, ir::declare(variable, access.at,
                              {ir::property(procedure, access.array, access.node, access.at)}));
        block.insert(loop + 2, ir::write(access.array, access.node, AssignOp::set,
                                         ir::scalar(procedure, variable, access.at), access.at));
        // The loop, which is now one further on, may have more.
        continue;
      }
    }
    privatise(procedure, block[i].condition);
    privatise(procedure, block[i].body);
    privatise(procedure, block[i].otherwise);
  }
}

}  // namespace

void privatise_reductions(Procedure& procedure) {
  privatise(procedure, procedure.body);
}

}  // namespace Atoll::greenmarl
