// Walks over statements and expressions, parents before children.
#pragma once

#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl::ir {

/// Calls visit(expr) for `expr` and all its subexpressions.
template <class E, class Visit>
void for_each_expr(E& expr, Visit&& visit) {
  visit(expr);
  for (auto& arg : expr.args) for_each_expr(arg, visit);
}

/// Calls visit(statement) for these statements and all nested ones.
template <class Statements, class Visit>
void for_each_stmt(Statements& statements, Visit&& visit) {
  for (auto& stmt : statements) {
    visit(stmt);
    for_each_stmt(stmt.condition, visit);
    for_each_stmt(stmt.body, visit);
    for_each_stmt(stmt.otherwise, visit);
  }
}

/// Calls visit(expr) for every expression in the statements.
template <class Statements, class Visit>
void for_each_expr_within(Statements& statements, Visit&& visit) {
  for_each_stmt(statements, [&](auto& stmt) {
    for (auto& expr : stmt.exprs) for_each_expr(expr, visit);
  });
}

/// Calls visit(list) for every list of statements, inner lists first. `visit` may change the list.
template <class Visit>
void for_each_block(std::vector<Stmt>& statements, Visit&& visit) {
  for (Stmt& stmt : statements) {
    for_each_block(stmt.condition, visit);
    for_each_block(stmt.body, visit);
    for_each_block(stmt.otherwise, visit);
  }
  visit(statements);
}

/// Calls visit(list) for every list of statements outside of loops and traversals, inner lists
/// first. Such lists are executed by one thread at a time. `visit` may change the list.
template <class Visit>
void for_each_sequential_block(std::vector<Stmt>& statements, Visit&& visit) {
  for (Stmt& stmt : statements) {
    if (stmt.kind == StmtKind::loop || stmt.kind == StmtKind::traversal) continue;
    for_each_sequential_block(stmt.condition, visit);
    for_each_sequential_block(stmt.body, visit);
    for_each_sequential_block(stmt.otherwise, visit);
  }
  visit(statements);
}

/// Replaces all uses of the symbol `from` by `to`.
void replace_symbol(std::vector<Stmt>& statements, SymbolId from, SymbolId to);
void replace_symbol(Expr& expr, SymbolId from, SymbolId to);

}  // namespace Atoll::greenmarl::ir
