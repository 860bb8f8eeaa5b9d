// Lowers assignments.
#include <fmt/format.h>

#include <algorithm>

#include "greenmarl/lowerer.hpp"
#include "greenmarl/nearest_name.hpp"

namespace Atoll::greenmarl {

void Lowerer::assignment(const ast::Stmt& stmt) {
  if (stmt.targets.size() > 1) return best_assignment(stmt);
  const ast::Expr& target = stmt.targets[0];
  if (target.kind == ast::ExprKind::index) return map_assignment(stmt);
  if (target.kind == ast::ExprKind::field) {
    const ast::Expr& object = target.args[0];
    if (object.kind == ast::ExprKind::name) {
      const ir::SymbolId source = variable(object.name);
      const ir::Symbol::Kind kind = result_[source].kind;
      if ((kind == ir::Symbol::Kind::graph || kind == ir::Symbol::Kind::collection) &&
          group_element(source) == ir::kNoSymbol)
        return group_assignment(stmt, source);
    }
    return property_assignment(stmt);
  }
  if (target.kind != ast::ExprKind::name)
    error(target.at, "this can't be assigned",
          "assign a variable, a property or an entry of a map");
  const ir::SymbolId symbol = variable(target.name);
  if (const auto place = collection(target)) return collection_assignment(stmt, *place);
  scalar_assignment(stmt, symbol);
}

void Lowerer::check_operator(const ast::Stmt& stmt, const Type& type) {
  if (stmt.op == AssignOp::set) return;
  const bool logical = stmt.op == AssignOp::all || stmt.op == AssignOp::any;
  const bool ordered = stmt.op == AssignOp::min || stmt.op == AssignOp::max;
  if (logical ? !type.is(ValueType::boolean) : !is_numeric(type) && !(ordered && type.is_element()))
    error(stmt.at, fmt::format("'{}' does not go with {}", to_string(stmt.op), with_article(type)),
          logical   ? "it takes a Bool"
          : ordered ? "it takes a number, a Node or an Edge"
                    : "it takes a number");
}

ir::Expr Lowerer::assigned_value(const ast::Stmt& stmt, const ast::Expr& value, const Type& type) {
  check_operator(stmt, type);
  return converted(diagnostics_, expression(value), type,
                   fmt::format("'{}'", ast::print(stmt.targets[0])));
}

Lowerer::OpenLoop& Lowerer::bound_of(const ast::Stmt& stmt, ir::SymbolId target) {
  const auto first = loops_.begin() + static_cast<std::ptrdiff_t>(calls_.back().loops);
  const auto open = std::find_if(first, loops_.end(), [&](const OpenLoop& loop) {
    return loop.iterator_name == stmt.bound.text;
  });
  std::vector<std::string_view> iterators;
  for (auto loop = first; loop != loops_.end(); ++loop) iterators.push_back(loop->iterator_name);
  if (open == loops_.end())
    error(stmt.bound.at, fmt::format("'{}' is no iterator of a loop around this", stmt.bound.text),
          did_you_mean(stmt.bound.text, iterators, "bind to a Foreach or For that this stands in"));
  if (stmt.deferred) return *open;
  if (stmt.op == AssignOp::set)
    error(stmt.bound.at, "only reductions and deferred assignments are bound with '@'",
          "leave it out");
  const auto [known, is_new] = bounds_.emplace(target, open->iterator);
  if (!is_new && known->second != open->iterator &&
      std::ranges::find(loops_, known->second, &OpenLoop::iterator) != loops_.end())
    error(stmt.bound.at, "this reduction is bound to two iterators", "bind it to one");
  known->second = open->iterator;
  return *open;
}

void Lowerer::scalar_assignment(const ast::Stmt& stmt, ir::SymbolId symbol) {
  const ast::Name& name = stmt.targets[0].name;
  if (result_[symbol].kind != ir::Symbol::Kind::scalar)
    error(name.at, fmt::format("'{}' is no variable", name.text),
          "a graph, an iterator or a map can't be assigned");
  if (stmt.deferred) return deferred_scalar(stmt, symbol);
  if (!stmt.bound.text.empty()) bound_of(stmt, symbol);
  emit(ir::assign(symbol, stmt.op, assigned_value(stmt, stmt.values[0], result_[symbol].type),
                  stmt.at));
}

// Keeps the new value in a temporary variable until the loop ends.
void Lowerer::deferred_scalar(const ast::Stmt& stmt, ir::SymbolId symbol) {
  if (stmt.bound.text.empty())
    error(stmt.at, "this deferred assignment names no loop", "add '@ it' with its iterator");
  static_cast<void>(bound_of(stmt, symbol));
  ir::Expr value = assigned_value(stmt, stmt.values[0], result_[symbol].type);
  Deferred& deferred = deferred_of(bound_of(stmt, symbol));  // after the value, which may open
                                                             // loops
  const auto now = [&](ir::SymbolId from) {
    return result_[from].type.is_element() ? ir::node(result_, from, stmt.at)
                                           : ir::scalar(result_, from, stmt.at);
  };
  const auto [next, is_new] = deferred.next.try_emplace(symbol);
  if (is_new) {
    next->second = temporary(result_[symbol].name + "_nxt", result_[symbol].type, stmt.at);
    deferred.before.push_back(ir::declare(next->second, stmt.at, {now(symbol)}));
    deferred.after.push_back(ir::assign(symbol, AssignOp::set, now(next->second), stmt.at));
  }
  emit(ir::assign(next->second, AssignOp::set, std::move(value), stmt.at));
}

Lowerer::Deferred& Lowerer::deferred_of(OpenLoop& loop) {
  const auto traversal = std::ranges::find(traversals_, loop.traversal, &OpenTraversal::symbol);
  return traversal == traversals_.end() ? loop.deferred : traversal->deferred;
}

// Collects deferred entries in a second map, which is merged into the first when the loop ends.
ir::SymbolId Lowerer::deferred_map(const ast::Stmt& stmt, ir::SymbolId map) {
  if (stmt.bound.text.empty())
    error(stmt.at, "this deferred assignment names no loop", "add '@ it' with its iterator");
  OpenLoop& loop = bound_of(stmt, map);
  for (OpenLoop& open : loops_) {
    if (open.iterator == loop.iterator) break;
    open.serial = true;
  }
  Deferred& deferred = deferred_of(loop);
  const auto [next, is_new] = deferred.next.try_emplace(map);
  if (!is_new) return next->second;
  const Type type = result_[map].type;
  next->second = temporary(result_[map].name + "_nxt", type, stmt.at, ir::Symbol::Kind::map);
  deferred.before.push_back(ir::declare(next->second, stmt.at));
  ir::Expr entries;
  entries.kind = ir::ExprKind::collection;
  entries.at = stmt.at;
  entries.type = type;
  entries.symbol = next->second;
  ir::Stmt take;
  take.kind = ir::StmtKind::call;
  take.at = stmt.at;
  take.exprs.push_back(ir::builtin(Builtin::set_all, Receiver::map, {map}, ValueType::int32,
                                   {std::move(entries)}, stmt.at));
  deferred.after.push_back(std::move(take));
  return next->second;
}

void Lowerer::property_assignment(const ast::Stmt& stmt) {
  const ast::Expr& target = stmt.targets[0];
  const ir::SymbolId node = element(target.args[0], "to assign a property of");
  const ir::SymbolId property = property_of(target.name, node);
  const Type& type = ir::element_type(result_[property]);
  if (type.shape == Shape::collection) return collection_assignment(stmt, {property, node});
  ir::SymbolId iterator = ir::kNoSymbol;
  if (!stmt.bound.text.empty())
    iterator = bound_of(stmt, property).iterator;
  else if (stmt.deferred)
    iterator = node;
  const auto bound = [&] { return std::ranges::find(loops_, iterator, &OpenLoop::iterator); };
  if (stmt.deferred && bound() == loops_.end())
    error(stmt.at, "this deferred assignment names no loop", "add '@ it' with its iterator");
  ir::Stmt write =
      ir::write(property, node, stmt.op, assigned_value(stmt, stmt.values[0], type), stmt.at);
  if (stmt.deferred) {
    write.bound = bound()->traversal == ir::kNoSymbol ? iterator : bound()->traversal;
    // Loops around the bound loop execute it repeatedly, so they must be sequential.
    for (OpenLoop& open : loops_) {
      if (open.iterator == iterator) break;
      open.serial = true;
    }
  }
  write.checked = may_be_nil(node);
  emit(std::move(write));
}

// G.p = e assigns all nodes or edges, S.p = e the members of S; in e, G or S is the current
// element.
void Lowerer::group_assignment(const ast::Stmt& stmt, ir::SymbolId source) {
  const ast::Expr& target = stmt.targets[0];
  const bool of_graph = result_[source].kind == ir::Symbol::Kind::graph;
  if (!of_graph && result_[source].type.is(CollectionShape::many))
    error(target.at, "a Collection's collections have no properties",
          "assign in a loop over Items");
  const ir::SymbolId property = scopes_.property(target.name.text);
  if (property == ir::kNoSymbol) refuse_property(target.name, false);
  const bool edges = result_[property].type.at_edges;
  if (edges && !of_graph)
    error(target.name.at, fmt::format("'{}' is a property of edges", target.name.text),
          "a collection holds nodes");
  if (result_[property].type.graph != (of_graph ? source : result_[source].type.graph))
    error(target.name.at, fmt::format("'{}' is a property of another graph", target.name.text),
          fmt::format("write {}.{}", result_[result_[property].type.graph].name, target.name.text));
  if (stmt.deferred) error(stmt.at, "an assignment to all nodes can't be deferred", "write =");
  if (!stmt.bound.text.empty())
    error(stmt.bound.at, "an assignment to all nodes is bound to no iterator", "leave '@' out");
  ast::Header header;
  header.iterator = {edges ? "e" : "v", target.at};
  header.source = target.args[0];
  header.range = !of_graph ? Range::items : edges ? Range::edges : Range::nodes;
  ir::Stmt loop = enter_loop(header, true, stmt.at);
  result_[loop.symbol].written = ast::print(target.args[0]);
  const auto around = std::pair(group_, group_source_);
  group_ = loop.symbol;
  group_source_ = source;
  loop.body = captured([&] {
    const Type& type = ir::element_type(result_[property]);
    if (type.shape == Shape::collection)
      return collection_assignment(stmt, {property, loop.symbol});
    ir::Expr value = assigned_value(stmt, stmt.values[0], type);
    emit(ir::write(property, loop.symbol, stmt.op, std::move(value), stmt.at));
  });
  std::tie(group_, group_source_) = around;
  leave_loop(std::move(loop));
}

void Lowerer::collection_assignment(const ast::Stmt& stmt, ir::Place target) {
  const std::string name = ast::print(stmt.targets[0]);
  if (stmt.op != AssignOp::set || stmt.deferred || !stmt.bound.text.empty())
    error(stmt.at, fmt::format("'{}' is a collection, and is only assigned with '='", name),
          "use its built-ins, such as Add or Union");
  const auto from = collection(stmt.values[0]);
  const Type& type = ir::element_type(result_[target.symbol]);
  if (!from || ir::element_type(result_[from->symbol]) != type)
    error(stmt.values[0].at, fmt::format("this can't be '{}', {}", name, with_article(type)),
          "name a collection of the same type and graph");
  ir::Stmt take;
  take.kind = ir::StmtKind::take;
  take.at = stmt.at;
  take.group = {target, *from};
  for (const ir::Place& place : take.group)
    take.checked = take.checked || (place.node != ir::kNoSymbol && may_be_nil(place.node));
  emit(std::move(take));
}

void Lowerer::map_assignment(const ast::Stmt& stmt) {
  const ast::Expr& target = stmt.targets[0];
  const ast::Expr& object = target.args[0];
  if (object.kind != ast::ExprKind::name ||
      result_[variable(object.name)].kind != ir::Symbol::Kind::map)
    error(object.at, "only a Map has entries [key]", "declare it: Map<Int, Double> name;");
  ir::Stmt write;
  write.kind = ir::StmtKind::map_write;
  write.at = stmt.at;
  write.op = stmt.op;
  write.symbol = variable(object.name);
  if (stmt.deferred)
    write.symbol = deferred_map(stmt, write.symbol);
  else if (!stmt.bound.text.empty())
    bound_of(stmt, write.symbol);
  const Type type = result_[write.symbol].type;
  ir::Expr key = converted(diagnostics_, expression(target.args[1]), type.of[0], "a key");
  std::optional<ir::Expr> value;
  const Statements before =
      captured([&] { value = assigned_value(stmt, stmt.values[0], type.of[1]); });
  if (!before.empty()) key = kept(std::move(key), "key");
  for (const ir::Stmt& inner : before) emit(inner);
  write.exprs = {std::move(key), std::move(*value)};
  emit(std::move(write));
}

// <a; b, c> min= <x; y, z>: if x is less than a, assigns all three.
void Lowerer::best_assignment(const ast::Stmt& stmt) {
  if (stmt.op != AssignOp::min && stmt.op != AssignOp::max)
    error(stmt.at, fmt::format("'{}' does not go with several targets", to_string(stmt.op)),
          "use min= or max=");
  if (stmt.targets.size() != stmt.values.size())
    error(
        stmt.at,
        fmt::format("there are {} targets and {} values", stmt.targets.size(), stmt.values.size()),
        "give each target its value");
  ir::Stmt best;
  best.kind = ir::StmtKind::best;
  best.at = stmt.at;
  best.op = stmt.op;
  std::vector<Type> types;
  ir::SymbolId node = ir::kNoSymbol;
  for (const ast::Expr& target : stmt.targets) {
    ir::Place place;
    if (target.kind == ast::ExprKind::field) {
      place.node = element(target.args[0], "to assign a property of");
      place.symbol = property_of(target.name, place.node);
      best.checked = best.checked || may_be_nil(place.node);
    } else if (target.kind == ast::ExprKind::name) {
      place.symbol = variable(target.name);
      if (result_[place.symbol].kind != ir::Symbol::Kind::scalar)
        error(target.at, fmt::format("'{}' is no variable", target.name.text),
              "a graph, an iterator or a collection can't be assigned");
    } else {
      error(target.at, "this can't be one of several targets",
            "name variables, or properties of one node");
    }
    if (best.group.empty()) node = place.node;
    if (place.node != node)
      error(target.at, "targets that are assigned together have to be of one node",
            "name only variables, or only properties of one node");
    if (ir::element_type(result_[place.symbol]).shape != Shape::value)
      error(target.at, "a collection can't be one of several targets", "assign it separately");
    types.push_back(ir::element_type(result_[place.symbol]));
    best.group.push_back(place);
  }
  if (!is_numeric(types[0]) && !types[0].is_element())
    error(stmt.targets[0].at,
          fmt::format("'{}' does not go with {}", to_string(stmt.op), with_article(types[0])),
          "the first target has to be a number, a Node or an Edge");
  if (!stmt.bound.text.empty()) bound_of(stmt, best.group[0].symbol);
  std::vector<ir::Expr> values = operands(stmt.values);
  for (std::size_t i = 0; i < values.size(); ++i)
    best.exprs.push_back(converted(diagnostics_, std::move(values[i]), types[i],
                                   fmt::format("'{}'", ast::print(stmt.targets[i]))));
  emit(std::move(best));
}

}  // namespace Atoll::greenmarl
