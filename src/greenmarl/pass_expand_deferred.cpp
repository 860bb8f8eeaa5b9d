#include "greenmarl/pass_expand_deferred.hpp"

#include <algorithm>
#include <set>

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

SymbolId second_array(Procedure& procedure, SymbolId first) {
  for (const SymbolId property : procedure.properties)
    if (procedure[property].second_of == first) return property;
  const SymbolId second =
      procedure.add_property(procedure[first].name + "_nxt", procedure[first].type, first);
  procedure[second].second_of = first;
  return second;
}

Stmt element_copy(const Procedure& procedure, SymbolId to, SymbolId from, SymbolId node,
                  Position at) {
  return ir::write(to, node, AssignOp::set, ir::property(procedure, from, node, at), at);
}

/// Statements to insert before and after the loop.
struct Around {
  std::vector<Stmt> before, after;
};

void expand(Procedure& procedure, Stmt& loop, SymbolId first, Around& around) {
  const SymbolId second = second_array(procedure, first);
  const auto is_ours = [&](const Stmt& stmt) {
    return stmt.kind == StmtKind::write && stmt.symbol == first && stmt.bound == loop.symbol;
  };
  const bool over_all =
      loop.kind == StmtKind::loop && (loop.range == Range::nodes || loop.range == Range::edges);
  const bool every_element = over_all && std::ranges::any_of(loop.body, [&](const Stmt& stmt) {
                               return is_ours(stmt) && stmt.node == loop.symbol;
                             });
  bool own = over_all;
  for (auto* body : {&loop.body, &loop.otherwise})
    ir::for_each_stmt(*body, [&](Stmt& stmt) {
      if (!is_ours(stmt)) return;
      own = own && stmt.node == loop.symbol;
      stmt.symbol = second;
      stmt.bound = ir::kNoSymbol;
    });
  if (!every_element && own) {
    loop.body.insert(loop.body.begin(),
                     element_copy(procedure, second, first, loop.symbol, loop.at));
  } else if (!every_element) {
    const bool edges = procedure[first].type.at_edges;
    Type element = edges ? ValueType::edge : ValueType::node;
    element.graph = procedure[first].type.graph;
    const SymbolId node = procedure.add({.name = edges ? "e" : "v",
                                         .kind = ir::Symbol::Kind::iterator,
                                         .type = element,
                                         .at = loop.at});
    Stmt all = ir::for_all_nodes(procedure, node,
                                 {element_copy(procedure, second, first, node, loop.at)}, loop.at);
    if (edges) all.range = Range::edges;
    around.before.push_back(std::move(all));
  }
  Stmt copy;
  copy.kind = StmtKind::copy;
  copy.at = loop.at;
  copy.symbol = first;
  copy.other = second;
  around.after.push_back(std::move(copy));
}

}  // namespace

void expand_deferred(Procedure& procedure) {
  ir::for_each_block(procedure.body, [&](std::vector<Stmt>& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (block[i].kind != StmtKind::loop && block[i].kind != StmtKind::traversal) continue;
      std::set<SymbolId> deferred;
      for (const auto* body : {&block[i].body, &block[i].otherwise})
        ir::for_each_stmt(*body, [&](const Stmt& stmt) {
          if (stmt.bound == block[i].symbol) deferred.insert(stmt.symbol);
        });
      Around around;
      for (const SymbolId first : deferred) expand(procedure, block[i], first, around);
      const auto here = block.begin() + static_cast<std::ptrdiff_t>(i);
      block.insert(here + 1, around.after.begin(), around.after.end());
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), around.before.begin(),
                   around.before.end());
      i += around.before.size() + around.after.size();
    }
  });
}

}  // namespace Atoll::greenmarl
