// Lowers calls: built-ins by their row in the table, procedures by inlining.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "greenmarl/lowerer.hpp"
#include "greenmarl/nearest_name.hpp"

namespace Atoll::greenmarl {
namespace {

bool is_degree(Builtin builtin) {
  return builtin == Builtin::out_degree || builtin == Builtin::in_degree;
}

/// Returns the advice if the receiver has no built-in of this name.
std::string those_of(Receiver receiver, std::string_view name) {
  return did_you_mean(name, builtin_names(receiver),
                      fmt::format("it has {}", builtin_list(receiver)));
}

ir::Stmt statement_of(ir::Expr call) {
  ir::Stmt stmt;
  stmt.kind = ir::StmtKind::call;
  stmt.at = call.at;
  stmt.exprs.push_back(std::move(call));
  return stmt;
}

}  // namespace

// name(…): a procedure of the file, or a built-in without a receiver.
std::optional<ir::Expr> Lowerer::call(const ast::Expr& expr) {
  for (const ast::Procedure& procedure : module_.procedures)
    if (procedure.name.text == expr.name.text) return procedure_call(procedure, expr);
  const BuiltinRow* row = find_builtin(Receiver::nothing, expr.name.text);
  if (row == nullptr) {
    const bool other = is_builtin_name(expr.name.text);
    std::vector<std::string_view> known = builtin_names(Receiver::nothing);
    for (const ast::Procedure& procedure : module_.procedures) known.push_back(procedure.name.text);
    error(expr.name.at, fmt::format("there is no procedure '{}' in this file", expr.name.text),
          other ? fmt::format("call it on something: x.{}()", expr.name.text)
                : did_you_mean(
                      expr.name.text, known,
                      fmt::format("define it, or call {}", builtin_list(Receiver::nothing))));
  }
  return builtin_call(*row, {ir::kNoSymbol}, expr, 0);
}

// object.name(…): a built-in of the object's type.
std::optional<ir::Expr> Lowerer::method(const ast::Expr& expr) {
  const ast::Expr& object = expr.args[0];
  const std::string& name = expr.name.text;
  if (name == "ToEdge") {
    if (expr.args.size() > 1)
      error(expr.args[1].at, "ToEdge() takes no arguments", "leave them out");
    return edge_of(object, expr.at);
  }
  if (const auto place = collection(object)) {
    const Receiver receiver = receiver_of(ir::element_type(result_[place->symbol]));
    const ir::SymbolId current =
        place->node == ir::kNoSymbol ? group_element(place->symbol) : ir::kNoSymbol;
    if (const BuiltinRow* row = find_builtin(receiver, name))
      return builtin_call(*row, *place, expr, 1);
    if (current == ir::kNoSymbol || find_builtin(Receiver::node, name) == nullptr)
      error(expr.name.at, fmt::format("{} has no '{}'", to_string(receiver), name),
            those_of(receiver, name));
  }
  if (object.kind == ast::ExprKind::name) {
    const ir::SymbolId symbol = variable(object.name);
    const ir::Symbol::Kind kind = result_[symbol].kind;
    if (kind == ir::Symbol::Kind::map) {
      if (const BuiltinRow* row = find_builtin(Receiver::map, name))
        return builtin_call(*row, {symbol}, expr, 1);
      error(expr.name.at, fmt::format("a Map has no '{}'", name), those_of(Receiver::map, name));
    }
    if (kind == ir::Symbol::Kind::graph) {
      if (const BuiltinRow* row = find_builtin(Receiver::graph, name))
        return builtin_call(*row, {symbol}, expr, 1);
      if (group_element(symbol) == ir::kNoSymbol)
        error(expr.name.at, fmt::format("a Graph has no '{}'", name),
              those_of(Receiver::graph, name));
    }
  }
  const ir::SymbolId on = element(object, "to call a built-in of");
  const Receiver receiver = receiver_of(result_[on].type);
  const BuiltinRow* row = find_builtin(receiver, name);
  if (row == nullptr)
    error(expr.name.at, fmt::format("{} has no '{}'", to_string(receiver), name),
          those_of(receiver, name));
  return builtin_call(*row, {ir::kNoSymbol, on}, expr, 1);
}

Type Lowerer::builtin_type(const BuiltinRow& row, Slot slot, ir::Place on, const ast::Expr& expr) {
  const auto receiver = [&]() -> const Type& {
    return ir::element_type(result_[on.symbol == ir::kNoSymbol ? on.node : on.symbol]);
  };
  Type type;
  switch (slot) {
    case Slot::nothing:
      return type;
    case Slot::int64:
      return ValueType::int64;
    case Slot::boolean:
      return ValueType::boolean;
    case Slot::real:
      return ValueType::float64;
    case Slot::node:
    case Slot::edge:
      type = slot == Slot::node ? ValueType::node : ValueType::edge;
      type.graph = row.receiver == Receiver::graph ? on.symbol : receiver().graph;
      return type;
    case Slot::item:
      if (receiver().is(CollectionShape::many)) return receiver().of[0];
      type = ValueType::node;
      type.graph = receiver().graph;
      return type;
    case Slot::same:
      return receiver();
    case Slot::key:
      return receiver().of[0];
    case Slot::value:
      return receiver().of[1];
  }
  throw InternalError(fmt::format("slot of {}", expr.name.text));
}

ir::Expr Lowerer::builtin_argument(const BuiltinRow& row, Slot slot, ir::Place on,
                                   const ast::Expr& arg) {
  const Type type = builtin_type(row, slot, on, arg);
  const std::string what =
      fmt::format("an argument of {}()", row.names.substr(0, row.names.find(' ')));
  if (type.shape != Shape::collection) return converted(diagnostics_, expression(arg), type, what);
  const auto place = collection(arg);
  if (!place || ir::element_type(result_[place->symbol]) != type)
    error(arg.at, fmt::format("this can't be {}, {}", what, with_article(type)),
          "name a collection of the same type and graph");
  ir::Expr result;
  result.kind = ir::ExprKind::collection;
  result.at = arg.at;
  result.type = type;
  result.symbol = place->symbol;
  result.node = place->node;
  result.checked = place->node != ir::kNoSymbol && may_be_nil(place->node);
  return result;
}

// A built-in that changes its receiver or draws a number is executed here; a variable keeps its
// value.
std::optional<ir::Expr> Lowerer::builtin_call(const BuiltinRow& row, ir::Place on,
                                              const ast::Expr& expr, std::size_t first_argument) {
  const std::string& name = expr.name.text;
  const std::size_t expected =
      (row.first != Slot::nothing ? 1U : 0U) + (row.second != Slot::nothing ? 1U : 0U);
  const std::size_t given = expr.args.size() - first_argument;
  if (given != expected)
    error(given > expected ? expr.args[first_argument + expected].at : expr.name.at,
          fmt::format("{}() takes {} argument{}", name,
                      expected == 0   ? "no"
                      : expected == 1 ? "one"
                                      : "two",
                      expected == 1 ? "" : "s"),
          given > expected ? "leave the others out" : "add what is missing");
  if (row.receiver == Receiver::graph && result_[on.symbol].empty_graph) {
    const Type type = builtin_type(row, row.result, on, expr);
    return type.is_element() ? ir::nil(type, expr.at) : ir::literal(0, type, expr.at);
  }
  std::vector<ir::Expr> args;
  Statements before;
  for (std::size_t i = 0; i < expected; ++i) {
    std::optional<ir::Expr> arg;
    before = captured([&] {
      arg =
          builtin_argument(row, i == 0 ? row.first : row.second, on, expr.args[first_argument + i]);
    });
    if (!before.empty())
      for (ir::Expr& earlier : args) earlier = kept(std::move(earlier), "argument");
    for (ir::Stmt& stmt : before) emit(std::move(stmt));
    args.push_back(std::move(*arg));
  }
  ir::Expr result = ir::builtin(row.builtin, row.receiver, on,
                                builtin_type(row, row.result, on, expr), std::move(args), expr.at);
  result.checked = on.node != ir::kNoSymbol && may_be_nil(on.node);
  // Degrees are unsigned counts. Like literals, they take the type of the other operand.
  if (is_degree(row.builtin)) return result;
  if (!row.mutates && !row.draws) return result;
  if (row.result == Slot::nothing || result.type.shape == Shape::collection) {
    emit(statement_of(std::move(result)));
    return std::nullopt;
  }
  return kept(std::move(result), "result");
}

ir::Expr Lowerer::edge_of(const ast::Expr& iterator, Position at) {
  const ir::SymbolId symbol = element(iterator, "to ask for the edge to");
  const auto open = std::ranges::find(loops_, symbol, &OpenLoop::iterator);
  if (open == loops_.end() || !open->has_edge)
    error(iterator.at, fmt::format("no edge led to '{}'", ast::print(iterator)),
          "the iterator of a loop over Nbrs, InNbrs, UpNbrs or DownNbrs has an edge");
  Type type = ValueType::edge;
  type.graph = result_[symbol].type.graph;
  ir::Expr result;
  result.kind = ir::ExprKind::edge_of;
  result.type = type;
  result.at = at;
  result.node = symbol;
  result.negative = open->incoming;
  return result;
}

// Reports a cycle of calls once, when the first of its procedures in the file is lowered.
void Lowerer::check_not_recursive(const ast::Procedure& callee, Position at) {
  const auto first = std::ranges::find(calls_, &callee, &Call::procedure);
  if (first == calls_.end()) return;
  if (std::any_of(first, calls_.end(), [&](const Call& call) { return call.procedure < &callee; }))
    throw MistakeReported{};
  error(at,
        fmt::format("'{}' calls itself{}", callee.name.text,
                    first + 1 == calls_.end() ? "" : " through others"),
        "recursion is not supported; use a loop, or a Node_Seq as a stack");
}

// If the argument is an element's collection, the parameter is an alias of it. Later changes of the
// caller's variable have no effect on the alias.
ir::SymbolId Lowerer::alias_collection(ir::Place place, const ast::Name& name) {
  if (place.node == ir::kNoSymbol) return place.symbol;
  if (result_[place.node].kind != ir::Symbol::Kind::iterator) {
    const bool sure = never_nil_.contains(place.node);
    place.node = kept(ir::node(result_, place.node, name.at), "element").symbol;
    if (sure) never_nil_.insert(place.node);
  }
  const ir::SymbolId alias = temporary(name.text, ir::element_type(result_[place.symbol]), name.at,
                                       ir::Symbol::Kind::collection);
  aliases_.emplace(alias, place);
  return alias;
}

// Inlines the called procedure. Scalars are copied into its parameters, and output scalars are
// copied back. All other arguments are aliases.
std::optional<ir::Expr> Lowerer::procedure_call(const ast::Procedure& callee,
                                                const ast::Expr& expr) {
  check_not_recursive(callee, expr.name.at);
  std::vector<std::pair<const ast::Parameter*, bool>> parameters;
  parameters.reserve(callee.inputs.size() + callee.outputs.size());
  for (const ast::Parameter& parameter : callee.inputs) parameters.emplace_back(&parameter, false);
  for (const ast::Parameter& parameter : callee.outputs) parameters.emplace_back(&parameter, true);
  if (parameters.size() != expr.args.size())
    error(expr.name.at,
          fmt::format("'{}' takes {} argument{}, not {}", callee.name.text, parameters.size(),
                      parameters.size() == 1 ? "" : "s", expr.args.size()),
          fmt::format("it is defined in line {}", callee.name.at.line));

  // Arguments are lowered in the caller's scope, graphs first, since types refer to them.
  Scopes inner;
  inner.open();
  std::vector<ir::SymbolId> inner_graphs;
  std::vector<std::pair<ir::SymbolId, const ast::Expr*>> outputs;
  std::map<std::string, ir::SymbolId> graph_names;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].first->type.kind != ast::TypeName::Kind::graph) continue;
    const ast::Expr& arg = expr.args[i];
    const ir::SymbolId graph = arg.kind == ast::ExprKind::name ? variable(arg.name) : ir::kNoSymbol;
    if (graph == ir::kNoSymbol || result_[graph].kind != ir::Symbol::Kind::graph)
      error(arg.at,
            fmt::format("'{}' of '{}' is a Graph, and this is not", parameters[i].first->name.text,
                        callee.name.text),
            "name a graph");
    inner.declare(diagnostics_, parameters[i].first->name, graph, false);
    inner_graphs.push_back(graph);
  }
  // Parameter types are resolved in the callee's scope.
  const auto in_callee = [&](auto&& action) {
    std::swap(scopes_, inner);
    std::swap(graphs_, inner_graphs);
    struct Back {
      Lowerer& lowerer;
      Scopes& scopes;
      std::vector<ir::SymbolId>& graphs;
      ~Back() {
        std::swap(lowerer.scopes_, scopes);
        std::swap(lowerer.graphs_, graphs);
      }
    } const back{*this, inner, inner_graphs};
    return action();
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter* const parameter = parameters[i].first;
    const bool output = parameters[i].second;
    const ast::Expr& arg = expr.args[i];
    const Type type = in_callee([&] { return type_of(parameter->type); });
    const std::string what = fmt::format("'{}' of '{}'", parameter->name.text, callee.name.text);
    switch (type.shape) {
      case Shape::graph:
        continue;
      case Shape::value: {
        const ir::SymbolId copy = temporary(parameter->name.text, type, arg.at);
        std::vector<ir::Expr> value;
        if (output)
          outputs.emplace_back(copy, &arg);
        else
          value.push_back(converted(diagnostics_, expression(arg), type, what));
        emit(ir::declare(copy, arg.at, std::move(value)));
        inner.declare(diagnostics_, parameter->name, copy, false);
        break;
      }
      case Shape::property: {
        const ir::SymbolId property =
            arg.kind == ast::ExprKind::name ? scopes_.property(arg.name.text) : ir::kNoSymbol;
        if (property == ir::kNoSymbol || result_[property].type != type)
          error(
              arg.at, fmt::format("this can't be {}, {}", what, with_article(type)),
              property == ir::kNoSymbol ? "name a property"
              : differ_in_graph(result_[property].type, type)
                  ? fmt::format("'{}' is one of another graph", arg.name.text)
                  : fmt::format("'{}' is {}", arg.name.text, with_article(result_[property].type)));
        inner.declare(diagnostics_, parameter->name, property, true);
        break;
      }
      case Shape::collection:
      case Shape::map: {
        auto place = collection(arg);
        if (!place && arg.kind == ast::ExprKind::name &&
            result_[variable(arg.name)].kind == ir::Symbol::Kind::map)
          place = ir::Place{variable(arg.name)};
        if (!place || ir::element_type(result_[place->symbol]) != type)
          error(arg.at, fmt::format("this can't be {}, {}", what, with_article(type)),
                "name a collection of the same type and graph");
        inner.declare(diagnostics_, parameter->name, alias_collection(*place, parameter->name),
                      false);
        break;
      }
    }
  }

  Call call{.procedure = &callee, .result = {}, .end = {}, .loops = loops_.size(), .returns = {}};
  if (callee.returns) {
    call.returns = in_callee([&] { return returned_type(callee); });
    call.result = temporary(callee.name.text, *call.returns, expr.at);
    emit(ir::declare(call.result, expr.at));
  }
  call.end =
      temporary("end_of_" + callee.name.text, ValueType::int32, expr.at, ir::Symbol::Kind::label);
  calls_.push_back(call);
  const auto group =
      std::pair(std::exchange(group_, ir::kNoSymbol), std::exchange(group_source_, ir::kNoSymbol));
  const std::set<std::string> reported = std::exchange(reported_, {});
  Statements body = in_callee([&] { return block(callee.body); });
  reported_ = reported;
  std::tie(group_, group_source_) = group;
  const bool leaves = calls_.back().leaves;
  calls_.pop_back();
  if (leaves) {
    if (body.back().kind == ir::StmtKind::leave) body.pop_back();
    ir::Stmt region;
    region.kind = ir::StmtKind::region;
    region.at = expr.at;
    region.symbol = call.end;
    region.body = std::move(body);
    emit(std::move(region));
  } else {
    for (ir::Stmt& stmt : body) emit(std::move(stmt));
  }
  // Outputs are copied back as assignments of the caller.
  for (const auto& [copy, target] : outputs) {
    const ir::Expr value = result_[copy].type.is_element() ? ir::node(result_, copy, target->at)
                                                           : ir::scalar(result_, copy, target->at);
    if (target->kind == ast::ExprKind::field) {
      const ir::SymbolId node = element(target->args[0], "to assign a property of");
      const ir::SymbolId property = property_of(target->name, node);
      ir::Stmt write = ir::write(
          property, node, AssignOp::set,
          converted(diagnostics_, value, ir::element_type(result_[property]), "an output"),
          target->at);
      write.checked = may_be_nil(node);
      emit(std::move(write));
      continue;
    }
    const ir::SymbolId symbol =
        target->kind == ast::ExprKind::name ? variable(target->name) : ir::kNoSymbol;
    if (symbol == ir::kNoSymbol || result_[symbol].kind != ir::Symbol::Kind::scalar)
      error(target->at,
            fmt::format("an output of '{}' can't be assigned to this", callee.name.text),
            "name a variable, or a property of a node");
    emit(ir::assign(symbol, AssignOp::set,
                    converted(diagnostics_, value, result_[symbol].type, "an output"), target->at));
  }
  if (!call.returns) return std::nullopt;
  return call.returns->is_element() ? ir::node(result_, call.result, expr.at)
                                    : ir::scalar(result_, call.result, expr.at);
}

}  // namespace Atoll::greenmarl
