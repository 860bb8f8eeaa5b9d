// Executes statements other than loops.
#include <algorithm>
#include <cmath>

#include "machine.hpp"

namespace Atoll::greenmarl::oracle {

using Kind = ast::TypeName::Kind;

Flow Machine::block(const std::vector<ast::Stmt>& body) {
  call().scopes.emplace_back();
  const Flow flow = statements(body);
  call().scopes.pop_back();
  return flow;
}

Flow Machine::statements(const std::vector<ast::Stmt>& body) {
  for (const ast::Stmt& stmt : body)
    if (statement(stmt) == Flow::returned) return Flow::returned;
  return Flow::next;
}

Flow Machine::statement(const ast::Stmt& stmt) {
  step();
  switch (stmt.kind) {
    case ast::StmtKind::block:
      return block(stmt.body);
    case ast::StmtKind::declare:
      declaration(stmt);
      return Flow::next;
    case ast::StmtKind::assign:
      assignment(stmt);
      return Flow::next;
    case ast::StmtKind::loop:
      return loop(stmt);
    case ast::StmtKind::traversal:
      return traversal(stmt);
    case ast::StmtKind::if_:
      return block(holds(stmt.condition[0]) ? stmt.body : stmt.otherwise);
    case ast::StmtKind::while_:
      while (holds(stmt.condition[0]))
        if (block(stmt.body) == Flow::returned) return Flow::returned;
      return Flow::next;
    case ast::StmtKind::do_while:
      do {
        if (block(stmt.body) == Flow::returned) return Flow::returned;
      } while (holds(stmt.condition[0]));
      return Flow::next;
    case ast::StmtKind::return_:
      if (!stmt.values.empty()) call().returned = evaluate(stmt.values[0], *call().returns);
      return Flow::returned;
    case ast::StmtKind::call:
      if (stmt.values[0].kind == ast::ExprKind::method)
        method(stmt.values[0]);
      else if (const ast::Procedure* callee = find(stmt.values[0].name.text))
        procedure_call(*callee, stmt.values[0]);
      else
        static_cast<void>(of_nothing(stmt.values[0]));
      return Flow::next;
    case ast::StmtKind::foreign:
      throw NotTaken("foreign text");
  }
  throw std::logic_error("statement");
}

void Machine::declaration(const ast::Stmt& stmt) {
  if (stmt.type.kind == Kind::graph) {
    Type type;
    type.kind = Kind::graph;
    type.world = local_graphs_.emplace_back(std::make_shared<World>(Graph{})).get();
    for (const ast::Name& name : stmt.names) declare(name.text, make(type));
    return;
  }
  const Type type = type_of(stmt.type);
  const bool value = type.kind == Kind::value;
  std::optional<Value> given;
  if (value && !stmt.values.empty()) given = evaluate(stmt.values[0], type.value);
  for (const ast::Name& name : stmt.names) {
    const Handle object = make(type);
    if (given) object->value = *given;
    declare(name.text, object);
    if (value || stmt.values.empty()) continue;
    if (type.kind != Kind::node_prop && type.kind != Kind::edge_prop) {
      copy(*collection(stmt.values[0]), *object);
      continue;
    }
    // N_P<Int> p = e; is equivalent to G.p = e;
    ast::Stmt assign;
    assign.targets.emplace_back().name = name;
    assign.values = stmt.values;
    for (const Scope& scope : call().scopes)
      for (const auto& [graph_name, graph] : scope.variables)
        if (graph->type.kind == Kind::graph && graph->type.world == type.world)
          return group_assignment(assign, graph);
  }
}

/// Returns true for G.p = … and S.p = …
bool Machine::assigns_group(const ast::Stmt& stmt) {
  const ast::Expr& target = stmt.targets[0];
  if (target.kind != ast::ExprKind::field || target.args[0].kind != ast::ExprKind::name)
    return false;
  return variable(target.args[0].name.text)->type.kind != Kind::value && !is_group(target.args[0]);
}

void Machine::assignment(const ast::Stmt& stmt) {
  if (stmt.targets.size() > 1) return best_assignment(stmt);
  const ast::Expr& target = stmt.targets[0];
  if (target.kind == ast::ExprKind::index) return map_assignment(stmt);
  if (assigns_group(stmt)) return group_assignment(stmt, variable(target.args[0].name.text));
  std::optional<Id> at;
  Handle object;
  if (target.kind == ast::ExprKind::field) {
    at = element(target.args[0]);
    object = property(target.name.text);
    if (object->type.of[0].kind != Kind::value)
      return copy(*collection(stmt.values[0]), *object->held.at(static_cast<std::size_t>(*at)));
  } else {
    object = variable(target.name.text);
    if (object->type.kind != Kind::value) return copy(*collection(stmt.values[0]), *object);
  }
  const Value value = evaluate(stmt.values[0], at ? object->type.of[0].value : object->type.value);
  if (stmt.deferred) return defer(stmt, {object, at, value, {}});
  store(object, at, combine(stmt.op, load(object, at), value));
}

void Machine::group_assignment(const ast::Stmt& stmt, const Handle& group) {
  const Handle object = property(stmt.targets[0].name.text);
  const bool edges = object->type.kind == Kind::edge_prop;
  std::vector<Id> elements = group->items;
  if (group->type.kind == Kind::graph) {
    const World& world = *group->type.world;
    elements.resize(edges ? world.edges.size() : static_cast<std::size_t>(world.nodes));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<Id>(i);
  }
  const Object* const around = call().group;
  const Value element_around = call().element;
  for (const Id id : elements) {
    call().group = group.get();
    call().element = edges ? edge(id) : node(id);
    if (object->type.of[0].kind != Kind::value) {
      copy(*collection(stmt.values[0]), *object->held.at(static_cast<std::size_t>(id)));
    } else {
      const Value value = evaluate(stmt.values[0], object->type.of[0].value);
      store(object, id, combined(stmt.op, load(object, id), value));
    }
  }
  call().group = around;
  call().element = element_around;
}

// <a; b, c> min= <x; y, z>: assigns all three values if x is less than a.
void Machine::best_assignment(const ast::Stmt& stmt) {
  std::vector<std::pair<Handle, std::optional<Id>>> targets;
  for (const ast::Expr& target : stmt.targets) {
    if (target.kind == ast::ExprKind::field)
      targets.emplace_back(property(target.name.text), element(target.args[0]));
    else
      targets.emplace_back(variable(target.name.text), std::nullopt);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Type& type = targets[i].first->type;
    values.push_back(evaluate(stmt.values[i], targets[i].second ? type.of[0].value : type.value));
  }
  const Value& known = load(targets[0].first, targets[0].second);
  const bool better = stmt.op == AssignOp::min
                          ? computed(BinaryOp::less, values[0], known, stmt.at).integer != 0
                          : computed(BinaryOp::less, known, values[0], stmt.at).integer != 0;
  if (!better) {
    // If the targets are properties, the values of any of the equal candidates are valid.
    for (std::size_t i = 1; i < targets.size(); ++i)
      if (targets[0].second && values[0] == known &&
          !(values[i] == load(targets[i].first, targets[i].second)))
        loose_ = true;
    return;
  }
  for (std::size_t i = 0; i < targets.size(); ++i)
    store(targets[i].first, targets[i].second, values[i]);
}

void Machine::map_assignment(const ast::Stmt& stmt) {
  const ast::Expr& target = stmt.targets[0];
  const Handle object = variable(target.args[0].name.text);
  const Value key = evaluate(target.args[1], object->type.of[0].value);
  const ValueType type = object->type.of[1].value;
  const Value value = evaluate(stmt.values[0], type);
  if (stmt.deferred) return defer(stmt, {object, {}, value, key});
  const auto entry = object->map.find(key);
  const Value known = entry == object->map.end() ? neutral(stmt.op, type) : entry->second;
  object->map[key] = combine(stmt.op, known, value);
}

void Machine::store(const Handle& target, std::optional<Id> at, const Value& value) {
  if (at)
    target->values.at(static_cast<std::size_t>(*at)) = value;
  else
    target->value = value;
}

const Value& Machine::load(const Handle& target, std::optional<Id> at) const {
  return at ? target->values.at(static_cast<std::size_t>(*at)) : target->value;
}

/// Defers an assignment until the loop of its iterator ends.
void Machine::defer(const ast::Stmt& stmt, Deferred deferred) {
  const std::string& name =
      stmt.bound.text.empty() ? stmt.targets[0].args[0].name.text : stmt.bound.text;
  auto& loops = call().loops;
  const auto open = std::find_if(loops.rbegin(), loops.rend(),
                                 [&](const OpenLoop& loop) { return loop.iterator == name; });
  if (open == loops.rend()) throw std::logic_error("a deferred assignment without a loop");
  open->deferred.push_back(std::move(deferred));
}

Value Machine::combine(AssignOp op, const Value& a, const Value& b) {
  const Value result = combined(op, a, b);
  if (is_real(result.type) && op != AssignOp::set) {
    // The rounding error of a sum is a floating-point number [Knuth, The Art of Computer
    // Programming 2, 4.2.2]; fma() computes that of a product.
    const double sum = a.real + b.real, back = sum - a.real;
    const double lost = op == AssignOp::sum       ? (a.real - (sum - back)) + (b.real - back)
                        : op == AssignOp::product ? std::fma(a.real, b.real, -(a.real * b.real))
                                                  : 0;
    const double exact = op == AssignOp::sum       ? sum
                         : op == AssignOp::product ? a.real * b.real
                                                   : result.real;
    loose_ = loose_ || lost != 0 || exact != result.real || std::isnan(result.real);
  }
  return result;
}

/// Copies the items of a collection, and makes copies of the collections in it.
void Machine::copy(const Object& from, Object& to) {
  to.items = from.items;
  std::vector<Handle> held;
  for (const Handle& one : from.held) held.push_back(std::make_shared<Object>(*one));
  to.held = std::move(held);
}

}  // namespace Atoll::greenmarl::oracle
