// Builds expressions and statements.
#include "greenmarl/ir.hpp"

#include <algorithm>

namespace Atoll::greenmarl::ir {
namespace {

Expr make(ExprKind kind, Type type, Position at) {
  Expr expr;
  expr.kind = kind;
  expr.type = std::move(type);
  expr.at = at;
  return expr;
}

Stmt make(StmtKind kind, Position at) {
  Stmt stmt;
  stmt.kind = kind;
  stmt.at = at;
  return stmt;
}

}  // namespace

SymbolId Procedure::add(Symbol symbol) {
  symbols.push_back(std::move(symbol));
  return {static_cast<std::uint32_t>(symbols.size() - 1)};
}

SymbolId Procedure::add_property(const std::string& wished, Type type, SymbolId after) {
  std::string unique = wished;
  for (int n = 2; std::ranges::find(symbols, unique, &Symbol::name) != symbols.end(); ++n)
    unique = wished + std::to_string(n);
  const SymbolId id =
      add({.name = std::move(unique), .kind = Symbol::Kind::property, .type = std::move(type)});
  const auto place = std::ranges::find(properties, after);
  properties.insert(place == properties.end() ? place : place + 1, id);
  return id;
}

std::string_view to_string(GraphArray array) {
  switch (array) {
    case GraphArray::begin:
      return "begin";
    case GraphArray::node_idx:
      return "node_idx";
    case GraphArray::r_begin:
      return "r_begin";
    case GraphArray::r_node_idx:
      return "r_node_idx";
    case GraphArray::r_edge_idx:
      return "r_edge_idx";
  }
  return "?";
}

ValueType element_type(GraphArray array) {
  const bool nodes = array == GraphArray::node_idx || array == GraphArray::r_node_idx;
  return nodes ? ValueType::node : ValueType::edge;
}

GraphArray bounds_array(bool out) {
  return out ? GraphArray::begin : GraphArray::r_begin;
}
GraphArray ends_array(bool out) {
  return out ? GraphArray::node_idx : GraphArray::r_node_idx;
}

Expr literal(std::int64_t value, Type type, Position at) {
  Expr expr = make(ExprKind::literal, std::move(type), at);
  expr.literal = value;
  return expr;
}

Expr real_literal(double value, Type type, Position at) {
  Expr expr = make(ExprKind::literal, std::move(type), at);
  expr.literal = value;
  return expr;
}

Expr bool_literal(bool value, Position at) {
  Expr expr = make(ExprKind::literal, ValueType::boolean, at);
  expr.literal = value;
  return expr;
}

Expr infinity(Type type, bool negative, Position at) {
  Expr expr = make(ExprKind::infinity, std::move(type), at);
  expr.negative = negative;
  return expr;
}

Expr scalar(const Procedure& procedure, SymbolId symbol, Position at) {
  Expr expr = make(ExprKind::scalar, procedure[symbol].type, at);
  expr.symbol = symbol;
  return expr;
}

Expr node(const Procedure& procedure, SymbolId symbol, Position at) {
  Expr expr = make(ExprKind::node, procedure[symbol].type, at);
  expr.symbol = symbol;
  return expr;
}

Expr nil(Type type, Position at) {
  return make(ExprKind::nil, std::move(type), at);
}

Expr builtin(Builtin builtin, Receiver receiver, Place on, Type type, std::vector<Expr> args,
             Position at) {
  Expr expr = make(ExprKind::builtin, std::move(type), at);
  expr.builtin = builtin;
  expr.receiver = receiver;
  expr.symbol = on.symbol;
  expr.node = on.node;
  expr.args = std::move(args);
  return expr;
}

Expr property(const Procedure& procedure, SymbolId symbol, SymbolId node, Position at) {
  Expr expr = make(ExprKind::property, element_type(procedure[symbol]), at);
  expr.symbol = symbol;
  expr.node = node;
  return expr;
}

Expr binary(BinaryOp op, Expr left, Expr right, Position at) {
  const Type type = is_arithmetic(op) ? left.type : Type(ValueType::boolean);
  Expr expr = make(ExprKind::binary, type, at);
  expr.binary = op;
  expr.args.push_back(std::move(left));
  expr.args.push_back(std::move(right));
  return expr;
}

Expr unary(UnaryOp op, Expr operand, Position at) {
  Expr expr = make(ExprKind::unary, operand.type, at);
  expr.unary = op;
  expr.args.push_back(std::move(operand));
  return expr;
}

Stmt declare(SymbolId symbol, Position at, std::vector<Expr> value) {
  Stmt stmt = make(StmtKind::declare, at);
  stmt.symbol = symbol;
  stmt.exprs = std::move(value);
  return stmt;
}

Stmt assign(SymbolId symbol, AssignOp op, Expr value, Position at) {
  Stmt stmt = make(StmtKind::assign, at);
  stmt.symbol = symbol;
  stmt.op = op;
  stmt.exprs.push_back(std::move(value));
  return stmt;
}

Stmt write(SymbolId property, SymbolId node, AssignOp op, Expr value, Position at) {
  Stmt stmt = assign(property, op, std::move(value), at);
  stmt.kind = StmtKind::write;
  stmt.node = node;
  return stmt;
}

Stmt if_then(Expr condition, std::vector<Stmt> body, std::vector<Stmt> otherwise, Position at) {
  Stmt stmt = make(StmtKind::if_, at);
  stmt.exprs.push_back(std::move(condition));
  stmt.body = std::move(body);
  stmt.otherwise = std::move(otherwise);
  return stmt;
}

Stmt for_all_nodes(const Procedure& procedure, SymbolId iterator, std::vector<Stmt> body,
                   Position at) {
  Stmt stmt = make(StmtKind::loop, at);
  stmt.node = procedure[iterator].type.graph;
  stmt.symbol = iterator;
  stmt.unordered = true;
  stmt.parallel = true;
  stmt.body = std::move(body);
  return stmt;
}

Expr identity(AssignOp op, const Type& type, Position at) {
  switch (op) {
    case AssignOp::min:
      return infinity(type, false, at);
    case AssignOp::max:
      return infinity(type, true, at);
    case AssignOp::all:
      return bool_literal(true, at);
    case AssignOp::any:
      return bool_literal(false, at);
    case AssignOp::set:
    case AssignOp::sum:
    case AssignOp::product:
      break;
  }
  const int value = op == AssignOp::product ? 1 : 0;
  return is_real(type) ? real_literal(value, type, at) : literal(value, type, at);
}

}  // namespace Atoll::greenmarl::ir
