#include "greenmarl/pass_privatise_reductions.hpp"

#include <algorithm>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Effects;
using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolAccess;
using ir::SymbolId;

/// Returns the first access to an array that the loop only combines into, at one outer iterator. If
/// threads share an outer loop, that iterator must be the shared loop's: other threads may combine
/// into all other elements.
const SymbolAccess* candidate(const Procedure& procedure, const Stmt& loop, SymbolId shared,
                              const Effects& effects) {
  if (effects.returns || effects.foreign) return nullptr;
  for (const SymbolAccess& first : effects.accesses) {
    const bool all_alike = std::ranges::all_of(effects.accesses, [&](const SymbolAccess& other) {
      return other.symbol != first.symbol || (other.action == ir::Action::combine && !other.group &&
                                              other.op == first.op && other.node == first.node);
    });
    if (all_alike && first.action == ir::Action::combine && first.node != loop.symbol &&
        first.node != ir::kNoSymbol && !effects.declared.contains(first.node) &&
        procedure[first.symbol].kind == ir::Symbol::Kind::property &&
        procedure[first.node].kind == ir::Symbol::Kind::iterator &&
        (shared == ir::kNoSymbol || shared == first.node))
      return &first;
  }
  return nullptr;
}

void privatise(Procedure& procedure, std::vector<Stmt>& block, SymbolId shared) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i].kind == StmtKind::loop && !block[i].parallel) {
      const Effects effects = ir::effects_of(block[i].body);
      if (const SymbolAccess* found = candidate(procedure, block[i], shared, effects)) {
        const SymbolAccess& access = *found;
        const ir::Symbol& property = procedure[access.symbol];
        const SymbolId variable = procedure.add(
            {.name = "own_" + property.name, .type = ir::element_type(property), .at = access.at});
        ir::for_each_stmt(block[i].body, [&](Stmt& stmt) {
          if (stmt.kind == StmtKind::write && stmt.symbol == access.symbol)
            stmt = ir::assign(variable, access.op, std::move(stmt.exprs[0]), stmt.at);
        });
        const auto here = block.begin() + static_cast<std::ptrdiff_t>(i);
        const auto loop = block.insert(
            here, ir::declare(variable, access.at,
                              {ir::property(procedure, access.symbol, access.node, access.at)}));
        block.insert(loop + 2, ir::write(access.symbol, access.node, AssignOp::set,
                                         ir::scalar(procedure, variable, access.at), access.at));
        // Revisits the loop, now at i + 1, for further candidates.
        continue;
      }
    }
    const SymbolId within = block[i].parallel ? block[i].symbol : shared;
    privatise(procedure, block[i].condition, within);
    privatise(procedure, block[i].body, within);
    privatise(procedure, block[i].otherwise, within);
  }
}

}  // namespace

void privatise_reductions(Procedure& procedure) {
  privatise(procedure, procedure.body, ir::kNoSymbol);
}

}  // namespace Atoll::greenmarl
