// Lowers statements other than assignments, loops and calls.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "greenmarl/lowerer.hpp"

namespace Atoll::greenmarl {

namespace {

/// Limit for inlining: calls in a short program can expand to a long one.
constexpr std::size_t kMaxStatements = 100'000;

}  // namespace

Lowerer::Statements Lowerer::captured(const std::function<void()>& lowering) {
  Statements statements;
  struct Restore {
    Statements*& place;
    Statements* around;
    ~Restore() { place = around; }
  } const restore{out_, std::exchange(out_, &statements)};
  lowering();
  return statements;
}

Lowerer::Statements Lowerer::block(const std::vector<ast::Stmt>& body) {
  return captured([&] {
    scopes_.open();
    const std::size_t graphs = graphs_.size();
    statements(body);
    graphs_.resize(graphs);
    scopes_.close();
  });
}

void Lowerer::statements(const std::vector<ast::Stmt>& body) {
  for (const ast::Stmt& stmt : body) attempt([&] { statement(stmt); });
}

bool Lowerer::attempt(const std::function<void()>& lowering) {
  const std::size_t loops = loops_.size(), traversals = traversals_.size();
  const ir::SymbolId group = group_, group_source = group_source_;
  try {
    lowering();
    return true;
  } catch (const MistakeReported&) {
    for (; loops_.size() > loops; loops_.pop_back()) scopes_.close();
    for (; traversals_.size() > traversals; traversals_.pop_back()) {
    }
    group_ = group;
    group_source_ = group_source;
    return false;
  }
}

void Lowerer::statement(const ast::Stmt& stmt) {
  if (++statements_ > kMaxStatements)
    error(
        calls_[0].procedure->name.at,
        fmt::format("'{}' has more than {} statements, with those of the procedures that it calls",
                    result_.name, kMaxStatements),
        "call them less often, from a loop");
  switch (stmt.kind) {
    case ast::StmtKind::block:
      for (ir::Stmt& inner : block(stmt.body)) emit(std::move(inner));
      return;
    case ast::StmtKind::declare:
      return declaration(stmt);
    case ast::StmtKind::assign:
      return assignment(stmt);
    case ast::StmtKind::loop:
      return loop(stmt);
    case ast::StmtKind::traversal:
      return traversal(stmt);
    case ast::StmtKind::if_: {
      ir::Expr test = ir::bool_literal(true, stmt.at);
      attempt([&] { test = condition(stmt.condition[0]); });  // also check the branches after an
                                                              // error
      Statements body = block(stmt.body);
      return emit(ir::if_then(std::move(test), std::move(body), block(stmt.otherwise), stmt.at));
    }
    case ast::StmtKind::while_:
    case ast::StmtKind::do_while:
      return while_loop(stmt);
    case ast::StmtKind::return_:
      return return_statement(stmt);
    case ast::StmtKind::call:
      if (auto value = stmt.values[0].kind == ast::ExprKind::call ? call(stmt.values[0])
                                                                  : method(stmt.values[0]))
        if (value->kind == ir::ExprKind::builtin)
          diagnostics_.warning(stmt.at, "this call does nothing, since its value isn't used",
                               "leave it out, or use its value");
      return;
    case ast::StmtKind::foreign:
      return foreign_statement(stmt);
  }
}

void Lowerer::while_loop(const ast::Stmt& stmt) {
  ir::Stmt loop;
  loop.kind = stmt.kind == ast::StmtKind::while_ ? ir::StmtKind::while_ : ir::StmtKind::do_while;
  loop.at = stmt.at;
  ++trips_;
  loop.trip = trips_ == 1 ? "k" : fmt::format("k{}", trips_);
  ++whiles_;
  loop.body = block(stmt.body);
  loop.condition = captured([&] {
    loop.exprs.push_back(ir::bool_literal(false, stmt.at));
    attempt([&] { loop.exprs[0] = condition(stmt.condition[0]); });
  });
  --whiles_;
  emit(std::move(loop));
}

void Lowerer::return_statement(const ast::Stmt& stmt) {
  if (const auto unordered =
          std::find_if(loops_.begin() + static_cast<std::ptrdiff_t>(calls_.back().loops),
                       loops_.end(), [](const OpenLoop& loop) { return loop.unordered; });
      unordered != loops_.end())
    error(stmt.at,
          unordered->range == Range::level
              ? "Return can't stand in an InBFS: a level's nodes have no order"
              : "Return can't stand in a Foreach: its iterations have no order",
          unordered->range == Range::level ? "return after the traversal"
                                           : "use For, or return after the loop");
  const std::optional<Type> returns = calls_.back().returns;
  if (returns.has_value() != !stmt.values.empty())
    error(stmt.at, returns ? "Return needs a value here" : "this procedure returns nothing",
          returns ? fmt::format("return {}", with_article(*returns))
                  : "declare what it returns, ( … ) : Int, or leave the value out");
  std::vector<ir::Expr> value;
  if (!stmt.values.empty())
    value.push_back(
        converted(diagnostics_, expression(stmt.values[0]), *returns, "the returned value"));
  Call& call = calls_.back();  // after lowering the value, which may contain calls
  ir::Stmt result;
  result.at = stmt.at;
  if (call.end == ir::kNoSymbol) {
    result.kind = ir::StmtKind::return_;
    result.exprs = std::move(value);
    return emit(std::move(result));
  }
  if (!value.empty()) emit(ir::assign(call.result, AssignOp::set, std::move(value[0]), stmt.at));
  call.leaves = true;
  result.kind = ir::StmtKind::leave;
  result.symbol = call.end;
  emit(std::move(result));
}

void Lowerer::foreign_statement(const ast::Stmt& stmt) {
  ir::Stmt result;
  result.kind = ir::StmtKind::foreign;
  result.at = stmt.at;
  result.exprs.push_back(foreign(stmt.values[0]));
  for (const ast::Expr& changed : stmt.changes) {
    if (changed.kind == ast::ExprKind::field) {
      const ast::Expr& object = changed.args[0];
      const ir::SymbolId graph =
          object.kind == ast::ExprKind::name ? scopes_.variable(object.name.text) : ir::kNoSymbol;
      if (graph != ir::kNoSymbol && result_[graph].kind == ir::Symbol::Kind::graph) {
        const ir::SymbolId property = scopes_.property(changed.name.text);
        if (property == ir::kNoSymbol) refuse_property(changed.name, false);
        result.group.push_back({property});
        continue;
      }
      const ir::SymbolId at = element(object, "to change a property of");
      result.group.push_back({property_of(changed.name, at), at});
    } else {
      auto place = collection(changed);
      if (!place) place = ir::Place{variable(changed.name)};
      const ir::Symbol::Kind kind = result_[place->symbol].kind;
      if (kind == ir::Symbol::Kind::graph || kind == ir::Symbol::Kind::iterator)
        error(changed.at, fmt::format("'{}' is no variable", changed.name.text),
              "foreign text can't change a graph or an iterator");
      result.group.push_back(*place);
    }
  }
  emit(std::move(result));
}

}  // namespace Atoll::greenmarl
