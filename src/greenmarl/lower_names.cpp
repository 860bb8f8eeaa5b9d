// Resolves names and places to symbols.
#include <fmt/format.h>

#include "greenmarl/lowerer.hpp"
#include "greenmarl/nearest_name.hpp"

namespace Atoll::greenmarl {

ir::SymbolId Lowerer::variable(const ast::Name& name) {
  const ir::SymbolId symbol = scopes_.variable(name.text);
  if (symbol != ir::kNoSymbol) return symbol;
  if (reported_.contains(name.text)) throw MistakeReported{};
  reported_.insert(name.text);
  if (const ir::SymbolId property = scopes_.property(name.text); property != ir::kNoSymbol) {
    const char* element = result_[property].type.at_edges ? "edge" : "node";
    error(name.at, fmt::format("'{}' is a property, and no {} is named", name.text, element),
          fmt::format("write {}.{}", element, name.text));
  }
  const Tok meant = keyword_in_other_letters(name.text);
  error(name.at, fmt::format("'{}' is not declared", name.text),
        meant == Tok::identifier
            ? did_you_mean(name.text, scopes_.variables(), "declare it before it is used")
            : fmt::format("the keyword is written {}", spelling(meant)));
}

void Lowerer::check_is_no_builtin(const ast::Name& name) {
  if (is_builtin_name(name.text) && scopes_.property(name.text) == ir::kNoSymbol)
    error(name.at, fmt::format("'{}' is a built-in, which is called", name.text),
          fmt::format("write {}()", name.text));
}

void Lowerer::refuse_property(const ast::Name& name, bool edge) {
  if (reported_.contains("." + name.text) || reported_.contains(name.text)) throw MistakeReported{};
  reported_.insert("." + name.text);
  check_is_no_builtin(name);
  error(
      name.at, fmt::format("'{}' is no property", name.text),
      did_you_mean(name.text, scopes_.properties(),
                   fmt::format("declare it: {}<Double> name;", edge ? "Edge_Prop" : "Node_Prop")));
}

ir::SymbolId Lowerer::property_of(const ast::Name& name, ir::SymbolId element) {
  const ir::SymbolId property = scopes_.property(name.text);
  if (property == ir::kNoSymbol) {
    refuse_property(name, result_[element].type.is(ValueType::edge));
  }
  const Type& type = result_[property].type;
  const Type& at = result_[element].type;
  if (type.at_edges != at.is(ValueType::edge))
    error(name.at,
          fmt::format("'{}' is a property of {}", name.text, type.at_edges ? "edges" : "nodes"),
          type.at_edges ? "name an edge: Edge(n), or n.ToEdge()"
                        : "name a node: e.FromNode() or e.ToNode()");
  if (type.graph != at.graph)
    error(name.at, fmt::format("'{}' is a property of another graph", name.text),
          fmt::format("it is of '{}'", result_[type.graph].name));
  return property;
}

ir::SymbolId Lowerer::element(const ast::Expr& expr, std::string_view use) {
  if (expr.kind == ast::ExprKind::name) {
    const ir::SymbolId symbol = variable(expr.name);
    if (const ir::SymbolId current = group_element(symbol); current != ir::kNoSymbol)
      return current;
    if (result_[symbol].kind == ir::Symbol::Kind::graph)
      error(expr.at, fmt::format("the graph '{}' can't stand here {}", expr.name.text, use),
            "name one of its nodes; the graph stands for each node in G.property = … only");
    if (!result_[symbol].type.is_element())
      error(expr.at, fmt::format("'{}' is no node or edge", expr.name.text),
            "an iterator, a Node or an Edge is needed here");
    return symbol;
  }
  ir::Expr value = expression(expr);
  if (!value.type.is_element() || value.kind == ir::ExprKind::nil)
    error(expr.at, fmt::format("{} has no properties", with_article(value.type)),
          "an iterator, a Node or an Edge is needed here");
  const bool sure = value.kind == ir::ExprKind::edge_of || ir::is(value, Builtin::from_node) ||
                    ir::is(value, Builtin::to_node);
  const ir::SymbolId symbol =
      value.kind == ir::ExprKind::node ? value.symbol : kept(std::move(value), "element").symbol;
  result_[symbol].written = ast::print(expr);
  if (sure) never_nil_.insert(symbol);
  return symbol;
}

std::optional<ir::Place> Lowerer::collection(const ast::Expr& expr) {
  if (expr.kind == ast::ExprKind::method) return taken_collection(expr);
  if (expr.kind == ast::ExprKind::name) {
    const ir::SymbolId symbol = variable(expr.name);
    if (result_[symbol].kind != ir::Symbol::Kind::collection) return std::nullopt;
    const auto alias = aliases_.find(symbol);
    return alias == aliases_.end() ? ir::Place{symbol} : alias->second;
  }
  if (expr.kind != ast::ExprKind::field) return std::nullopt;
  const ir::SymbolId property = scopes_.property(expr.name.text);
  if (property == ir::kNoSymbol || ir::element_type(result_[property]).shape != Shape::collection)
    return std::nullopt;
  const ir::SymbolId at = element(expr.args[0], "to reach a collection of");
  return ir::Place{property_of(expr.name, at), at};
}

// C.PopBack() of a Collection returns a collection, which is kept in a variable.
std::optional<ir::Place> Lowerer::taken_collection(const ast::Expr& call) {
  const BuiltinRow* row = find_builtin(Receiver::many, call.name.text);
  if (row == nullptr || row->result != Slot::item) return std::nullopt;
  const auto from = collection(call.args[0]);
  if (!from || !ir::element_type(result_[from->symbol]).is(CollectionShape::many))
    return std::nullopt;
  Statements calls = captured([&] { builtin_call(*row, *from, call, 1); });
  ir::Stmt take;
  take.kind = ir::StmtKind::take;
  take.at = call.at;
  take.exprs = std::move(calls.back().exprs);
  const ir::SymbolId taken =
      temporary("taken", take.exprs[0].type, call.at, ir::Symbol::Kind::collection);
  take.group = {{taken}};
  emit(ir::declare(taken, call.at));
  emit(std::move(take));
  return ir::Place{taken};
}

}  // namespace Atoll::greenmarl
