// Lowers procedures and statements.
#include "greenmarl/lower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "greenmarl/lowerer.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

/// True if every path through the statements ends with Return.
bool always_returns(const std::vector<ir::Stmt>& statements) {
  return std::ranges::any_of(statements, [](const ir::Stmt& stmt) {
    return stmt.kind == ir::StmtKind::return_ ||
           (stmt.kind == ir::StmtKind::do_while && always_returns(stmt.body)) ||
           (stmt.kind == ir::StmtKind::if_ && always_returns(stmt.body) &&
            always_returns(stmt.otherwise));
  });
}

}  // namespace

ir::Procedure lower(const ast::Procedure& procedure, const Source& source) {
  return Lowerer(source).run(procedure);
}

Lowerer::Lowerer(const Source& source) : source_(source), scopes_(source) {
  result_.source = &source;
}

ir::Procedure Lowerer::run(const ast::Procedure& procedure) {
  result_.name = procedure.name.text;
  result_.returns = procedure.returns;
  result_.at = procedure.name.at;
  out_ = &result_.body;
  scopes_.open();
  for (const ast::Parameter& parameter : procedure.inputs)
    if (parameter.kind == ast::Parameter::Kind::graph) declare_input(parameter);
  if (result_.graph.empty())
    error(procedure.name.at, "a procedure needs a graph", "take one: (G: Graph, …)");
  for (const ast::Parameter& parameter : procedure.inputs)
    if (parameter.kind != ast::Parameter::Kind::graph) declare_input(parameter);
  for (const ast::Parameter& parameter : procedure.outputs) declare_output(parameter);
  result_.body = block(procedure.body);
  scopes_.close();
  if (result_.returns && !always_returns(result_.body))
    error(procedure.name.at, fmt::format("'{}' can end without Return", result_.name),
          fmt::format("return {} at its end", with_article(*result_.returns)));
  check_outputs_are_assigned();
  return std::move(result_);
}

void Lowerer::declare_input(const ast::Parameter& parameter) {
  switch (parameter.kind) {
    case ast::Parameter::Kind::graph:
      if (!result_.graph.empty()) fail_unsupported(source_, parameter.name.at, "a second graph");
      result_.graph = parameter.name.text;
      return scopes_.declare_graph(parameter.name);
    case ast::Parameter::Kind::property:
      fail_unsupported(source_, parameter.name.at, "a property as input",
                       "make it an output, behind ';', and assign it");
    case ast::Parameter::Kind::scalar:
      break;
  }
  ir::Symbol symbol{.name = parameter.name.text, .type = parameter.type};
  symbol.argument = true;
  symbol.at = parameter.name.at;
  const ir::SymbolId id = result_.add(std::move(symbol));
  scopes_.declare(parameter.name, id);
  result_.arguments.push_back(id);
}

void Lowerer::declare_output(const ast::Parameter& parameter) {
  if (parameter.kind != ast::Parameter::Kind::property)
    fail_unsupported(source_, parameter.name.at, "an output that isn't a property",
                     "Return a value");
  declare_property(parameter.name, parameter.type, parameter.graph, true);
}

void Lowerer::check_graph(const ast::Name& name) const {
  if (!name.text.empty() && name.text != result_.graph)
    error(name.at, fmt::format("'{}' is not the graph", name.text),
          fmt::format("write {}", result_.graph));
}

ir::SymbolId Lowerer::declare_property(const ast::Name& name, Type type, const ast::Name& graph,
                                       bool result) {
  check_graph(graph);
  ir::Symbol symbol{.name = name.text, .kind = ir::Symbol::Kind::property, .type = type};
  symbol.result = result;
  symbol.at = name.at;
  const ir::SymbolId id = result_.add(std::move(symbol));
  scopes_.declare(name, id);
  result_.properties.push_back(id);
  return id;
}

void Lowerer::check_outputs_are_assigned() const {
  const ir::Effects effects = ir::effects_of(result_.body);
  for (const ir::SymbolId property : result_.properties)
    if (result_[property].result && !effects.writes(property))
      error(result_[property].at,
            fmt::format("the output '{}' is never assigned", result_[property].name),
            "assign it, or leave it out");
}

Lowerer::Statements Lowerer::captured(const std::function<void()>& lowering) {
  Statements statements;
  Statements* const around = std::exchange(out_, &statements);
  lowering();
  out_ = around;
  return statements;
}

Lowerer::Statements Lowerer::block(const std::vector<ast::Stmt>& statements) {
  return captured([&] {
    scopes_.open();
    for (const ast::Stmt& stmt : statements) statement(stmt);
    scopes_.close();
  });
}

ir::SymbolId Lowerer::temporary(std::string name, Type type, Position at, ir::Symbol::Kind kind) {
  ir::Symbol symbol{.name = std::move(name), .kind = kind, .type = type};
  symbol.at = at;
  return result_.add(std::move(symbol));
}

void Lowerer::statement(const ast::Stmt& stmt) {
  switch (stmt.kind) {
    case ast::StmtKind::block:
      for (ir::Stmt& inner : block(stmt.body)) emit(std::move(inner));
      return;
    case ast::StmtKind::declare:
      return declaration(stmt);
    case ast::StmtKind::declare_property:
      return property_declaration(stmt);
    case ast::StmtKind::assign:
      return assignment(stmt);
    case ast::StmtKind::loop:
      return loop(stmt);
    case ast::StmtKind::if_: {
      ir::Expr test = condition(stmt.condition[0]);
      Statements body = block(stmt.body);
      return emit(ir::if_then(std::move(test), std::move(body), block(stmt.otherwise), stmt.at));
    }
    case ast::StmtKind::while_:
    case ast::StmtKind::do_while:
      return while_loop(stmt);
    case ast::StmtKind::return_:
      return return_statement(stmt);
  }
}

void Lowerer::declaration(const ast::Stmt& stmt) {
  check_graph(stmt.graph);
  if (stmt.type == Type::node && stmt.value.empty())
    error(stmt.names[0].at, "a Node variable needs an initial value", "write Node x = node;");
  std::vector<ir::Expr> value;
  if (!stmt.value.empty())
    value.push_back(converted(source_, expression(stmt.value[0]), stmt.type,
                              fmt::format("'{}'", stmt.names[0].text)));
  for (const ast::Name& name : stmt.names) {
    const ir::SymbolId symbol = temporary(name.text, stmt.type, name.at);
    scopes_.declare(name, symbol);
    emit(ir::declare(symbol, name.at, value));
  }
}

void Lowerer::property_declaration(const ast::Stmt& stmt) {
  if (!loops_.empty())
    fail_unsupported(source_, stmt.at, "a property declared inside Foreach or For",
                     "declare it before the loop");
  for (const ast::Name& name : stmt.names) {
    const ir::SymbolId property = declare_property(name, stmt.type, stmt.graph, false);
    if (whiles_ == 0) continue;  // arrays start as zeros; in a While, they do so each time
    const ir::SymbolId node = temporary("v", Type::node, name.at, ir::Symbol::Kind::iterator);
    const AssignOp zero_of = stmt.type == Type::boolean ? AssignOp::any : AssignOp::sum;
    emit(ir::for_all_nodes(node,
                           {ir::write(property, node, AssignOp::set,
                                      ir::identity(zero_of, stmt.type, name.at), name.at)},
                           name.at));
  }
}

void Lowerer::assignment(const ast::Stmt& stmt) {
  if (stmt.member.text.empty()) return scalar_assignment(stmt);
  if (scopes_.find(stmt.target) == ir::kNoSymbol) return group_assignment(stmt);
  property_assignment(stmt);
}

ir::Expr Lowerer::assigned_value(const ast::Stmt& stmt, Type type) {
  const std::string target = stmt.member.text.empty()
                                 ? stmt.target.text
                                 : fmt::format("{}.{}", stmt.target.text, stmt.member.text);
  const bool logical = stmt.op == AssignOp::all || stmt.op == AssignOp::any;
  if (stmt.op != AssignOp::set && (logical ? type != Type::boolean : !is_numeric(type)))
    error(stmt.at, fmt::format("'{}' does not go with {}", to_string(stmt.op), with_article(type)),
          logical ? "it takes a Bool" : "it takes a number");
  return converted(source_, expression(stmt.value[0]), type, fmt::format("'{}'", target));
}

// Checks `@ it` of a reduction.
ir::SymbolId Lowerer::bound_of(const ast::Stmt& stmt, ir::SymbolId target) {
  const auto open = std::ranges::find(loops_, stmt.bound.text, &OpenLoop::iterator_name);
  if (open == loops_.end())
    error(stmt.bound.at, fmt::format("'{}' is no iterator of a loop around this", stmt.bound.text),
          "bind to a Foreach or For that this stands in");
  if (stmt.deferred) return open->iterator;
  if (stmt.op == AssignOp::set)
    error(stmt.bound.at, "only reductions and deferred assignments are bound with '@'",
          "leave it out");
  const auto [known, first] = bounds_.emplace(target, open->iterator);
  if (!first && known->second != open->iterator &&
      std::ranges::find(loops_, known->second, &OpenLoop::iterator) != loops_.end())
    error(stmt.bound.at, "this reduction is bound to two iterators", "bind it to one");
  known->second = open->iterator;
  return open->iterator;
}

void Lowerer::scalar_assignment(const ast::Stmt& stmt) {
  const ir::SymbolId symbol = scopes_.find(stmt.target);
  if (symbol == ir::kNoSymbol || result_[symbol].kind != ir::Symbol::Kind::scalar)
    error(stmt.target.at, fmt::format("'{}' is no variable", stmt.target.text),
          symbol == ir::kNoSymbol || result_[symbol].kind == ir::Symbol::Kind::iterator
              ? "a graph or an iterator can't be assigned"
              : fmt::format("assign a property of a node: node.{}", stmt.target.text));
  if (stmt.deferred)
    fail_unsupported(source_, stmt.at, "deferred assignment to a variable",
                     "defer assignments to properties");
  if (!stmt.bound.text.empty()) bound_of(stmt, symbol);
  emit(ir::assign(symbol, stmt.op, assigned_value(stmt, result_[symbol].type), stmt.at));
}

void Lowerer::property_assignment(const ast::Stmt& stmt) {
  const ir::SymbolId property = property_of(stmt.member);
  const ir::SymbolId node = node_of(stmt.target, "to assign a property of");
  ir::SymbolId bound = ir::kNoSymbol;
  if (!stmt.bound.text.empty()) {
    bound = bound_of(stmt, property);
  } else if (stmt.deferred) {
    if (std::ranges::find(loops_, node, &OpenLoop::iterator) == loops_.end())
      error(stmt.at, "this deferred assignment names no loop", "add '@ it' with its iterator");
    bound = node;
  }
  ir::Stmt write =
      ir::write(property, node, stmt.op, assigned_value(stmt, result_[property].type), stmt.at);
  if (stmt.deferred) write.bound = bound;
  emit(std::move(write));
}

// G.p = e runs over all nodes; in e, G is the current node.
void Lowerer::group_assignment(const ast::Stmt& stmt) {
  const ir::SymbolId property = property_of(stmt.member);
  if (stmt.deferred) error(stmt.at, "an assignment to all nodes can't be deferred", "write =");
  if (!stmt.bound.text.empty())
    error(stmt.bound.at, "an assignment to all nodes is bound to no iterator", "leave '@' out");
  ast::Header header;
  header.iterator = {"v", stmt.target.at};
  header.source = stmt.target;
  ir::Stmt loop = enter_loop(header, true, stmt.at);
  group_ = loop.symbol;
  loop.body = captured([&] {
    ir::Expr value = assigned_value(stmt, result_[property].type);
    emit(ir::write(property, loop.symbol, stmt.op, std::move(value), stmt.at));
  });
  group_ = ir::kNoSymbol;
  leave_loop();
  emit(std::move(loop));
}

ir::Stmt Lowerer::enter_loop(const ast::Header& header, bool unordered, Position at) {
  ir::Stmt loop;
  loop.kind = ir::StmtKind::loop;
  loop.at = at;
  loop.range = header.range;
  loop.unordered = unordered;
  if (header.range == Range::nodes) {
    if (scopes_.find(header.source) != ir::kNoSymbol)
      error(header.source.at, fmt::format("'{}' is not the graph", header.source.text),
            fmt::format("write {}.Nodes", result_.graph));
    loop.parallel = unordered && std::ranges::none_of(loops_, &OpenLoop::parallel);
  } else {
    loop.node = node_of(header.source, "to run over neighbours of");
  }
  loop.symbol =
      temporary(header.iterator.text, Type::node, header.iterator.at, ir::Symbol::Kind::iterator);
  loops_.push_back({loop.symbol, header.iterator.text, unordered, loop.parallel});
  scopes_.open();
  return loop;
}

void Lowerer::leave_loop() {
  scopes_.close();
  loops_.pop_back();
}

void Lowerer::loop(const ast::Stmt& stmt) {
  ir::Stmt loop = enter_loop(stmt.header, stmt.parallel, stmt.at);
  scopes_.declare(stmt.header.iterator, loop.symbol);
  loop.body = captured([&] {
    if (stmt.condition.empty()) {
      for (ir::Stmt& inner : block(stmt.body)) emit(std::move(inner));
      return;
    }
    ir::Expr filter = condition(stmt.condition[0]);
    emit(ir::if_then(std::move(filter), block(stmt.body), {}, stmt.condition[0].at));
  });
  leave_loop();
  emit(std::move(loop));
}

void Lowerer::while_loop(const ast::Stmt& stmt) {
  ir::Stmt loop;
  loop.kind = stmt.kind == ast::StmtKind::while_ ? ir::StmtKind::while_ : ir::StmtKind::do_while;
  loop.at = stmt.at;
  ++trips_;
  loop.trip = trips_ == 1 ? "k" : fmt::format("k{}", trips_);
  ++whiles_;
  loop.body = block(stmt.body);
  loop.condition = captured([&] { loop.exprs.push_back(condition(stmt.condition[0])); });
  --whiles_;
  emit(std::move(loop));
}

void Lowerer::return_statement(const ast::Stmt& stmt) {
  if (std::ranges::any_of(loops_, &OpenLoop::unordered))
    error(stmt.at, "Return can't stand in a Foreach: its iterations have no order",
          "use For, or return after the loop");
  if (result_.returns.has_value() != !stmt.value.empty())
    error(stmt.at, result_.returns ? "Return needs a value here" : "this procedure returns nothing",
          result_.returns ? fmt::format("return {}", with_article(*result_.returns))
                          : "declare what it returns, ( … ) : Int, or leave the value out");
  ir::Stmt result;
  result.kind = ir::StmtKind::return_;
  result.at = stmt.at;
  if (!stmt.value.empty())
    result.exprs.push_back(
        converted(source_, expression(stmt.value[0]), *result_.returns, "the returned value"));
  emit(std::move(result));
}

}  // namespace Atoll::greenmarl
