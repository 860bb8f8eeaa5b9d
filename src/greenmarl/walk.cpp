#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl::ir {
namespace {

void rename(SymbolId& symbol, SymbolId from, SymbolId to) {
  if (symbol == from) symbol = to;
}

}  // namespace

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
    for (Place& place : stmt.group) {
      rename(place.symbol, from, to);
      rename(place.node, from, to);
    }
    for (Expr& expr : stmt.exprs) replace_symbol(expr, from, to);
  });
}

}  // namespace Atoll::greenmarl::ir
