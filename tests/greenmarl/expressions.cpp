// Evaluates expressions. Operands are evaluated from left to right.
#include <algorithm>

#include "machine.hpp"

namespace Atoll::greenmarl::oracle {

bool Machine::is_group(const ast::Expr& expr) {
  return expr.kind == ast::ExprKind::name && call().group != nullptr &&
         variable(expr.name.text).get() == call().group;
}

Value Machine::evaluate(const ast::Expr& expr) {
  return evaluate(expr, own_type(expr));
}

Value Machine::evaluate(const ast::Expr& expr, ValueType wanted) {
  step();
  const auto give = [&](const Value& value) { return assigned(value, wanted, expr.at); };
  switch (expr.kind) {
    case ast::ExprKind::integer:
      return give(
          integer(*static_type(expr).type, static_cast<std::int64_t>(std::stoull(expr.name.text))));
    case ast::ExprKind::real:
      return give(real(ValueType::float64, std::stod(expr.name.text)));
    case ast::ExprKind::boolean:
      return give(boolean(expr.name.text == "True"));
    case ast::ExprKind::infinity:
      return infinity(wanted, false);
    case ast::ExprKind::nil:
      return nothing(wanted);
    case ast::ExprKind::name:
      return give(is_group(expr) ? call().element : variable(expr.name.text)->value);
    case ast::ExprKind::field: {
      const Handle object = property(expr.name.text);
      return give(object->values.at(static_cast<std::size_t>(element(expr.args[0]))));
    }
    case ast::ExprKind::index: {
      const Handle object = variable(expr.args[0].name.text);
      const Value key = evaluate(expr.args[1], object->type.of[0].value);
      const auto found = object->map.find(key);
      return give(found == object->map.end() ? nothing(object->type.of[1].value) : found->second);
    }
    case ast::ExprKind::edge_of:
      return edge(edge_to(expr.args[0]));
    case ast::ExprKind::call:
      if (const ast::Procedure* callee = find(expr.name.text))
        return give(*procedure_call(*callee, expr));
      return give(of_nothing(expr));
    case ast::ExprKind::method:
      return give(*method(expr));
    case ast::ExprKind::unary: {
      if (expr.unary == UnaryOp::logical_not) return give(boolean(!holds(expr.args[0])));
      const Static type = static_type(expr);
      const Value operand = evaluate(expr.args[0], type.type.value_or(wanted));
      return give(expr.unary == UnaryOp::negate ? negated_or_infinite(expr, operand)
                                                : absolute(operand));
    }
    case ast::ExprKind::binary:
      return give(binary(expr));
    case ast::ExprKind::conditional: {
      const ValueType type = static_type(expr).type.value_or(wanted);
      return give(evaluate(expr.args[holds(expr.args[0]) ? 1 : 2], type));
    }
    case ast::ExprKind::cast: {
      const Static type = static_type(expr.args[0]);
      return give(
          cast(evaluate(expr.args[0], type.type.value_or(expr.type.value)), expr.type.value));
    }
    case ast::ExprKind::reduction:
      return give(reduction(expr));
    case ast::ExprKind::foreign:
      throw NotTaken("foreign text");
  }
  throw std::logic_error("expression");
}

/// -INF is the lowest value, which for integers isn't the negated maximum.
Value Machine::negated_or_infinite(const ast::Expr& expr, const Value& operand) {
  return expr.args[0].kind == ast::ExprKind::infinity ? infinity(operand.type, true)
                                                      : negated(operand);
}

bool Machine::holds(const ast::Expr& expr) {
  return evaluate(expr, ValueType::boolean).integer != 0;
}

bool Machine::holds(const std::vector<ast::Expr>& condition) {
  return condition.empty() || holds(condition[0]);
}

Value Machine::binary(const ast::Expr& expr) {
  if (expr.binary == BinaryOp::logical_and)
    return boolean(holds(expr.args[0]) && holds(expr.args[1]));
  if (expr.binary == BinaryOp::logical_or)
    return boolean(holds(expr.args[0]) || holds(expr.args[1]));
  const ValueType type = common_type(static_type(expr.args[0]), static_type(expr.args[1]));
  const Value left = evaluate(expr.args[0], type);
  const Value right = evaluate(expr.args[1], type);
  return computed(expr.binary, left, right, expr.at);
}

Value Machine::reduction(const ast::Expr& expr) {
  const ValueType type = *static_type(expr).type;
  const Reduction op = expr.reduction;
  const AssignOp combining = op == Reduction::product ? AssignOp::product
                             : op == Reduction::min   ? AssignOp::min
                             : op == Reduction::max   ? AssignOp::max
                             : op == Reduction::all   ? AssignOp::all
                             : op == Reduction::exist ? AssignOp::any
                                                      : AssignOp::sum;
  Value total = neutral(combining, type);
  std::int64_t count = 0;
  for (const Handle& it : range(expr.header[0])) {
    call().scopes.emplace_back();
    declare(expr.header[0].iterator.text, it);
    if (holds(expr.filter)) {
      ++count;
      if (op != Reduction::count) total = combine(combining, total, evaluate(expr.args[0], type));
    }
    call().scopes.pop_back();
  }
  if (op == Reduction::count) return integer(ValueType::int64, count);
  if (op == Reduction::average)
    return real(type, count == 0 ? 0 : total.real / static_cast<double>(count));
  return count == 0 && is_element(type) ? nothing(type) : total;
}

/// Returns the number of a node or edge. Stops the program if it is NIL.
Id Machine::element(const ast::Expr& expr) {
  const Value value = evaluate(expr);
  if (value.integer == kNil) throw Stop(expr.at, "NIL");
  return value.integer;
}

/// Returns the edge that led to the iterator of a loop over neighbours.
Id Machine::edge_to(const ast::Expr& expr) {
  return variable(expr.name.text)->edge;
}

/// Returns true for PopBack() of a collection of sets.
bool Machine::takes_set(const ast::Expr& expr) {
  if (expr.kind != ast::ExprKind::method || expr.args[0].kind != ast::ExprKind::name) return false;
  const Handle from = variable(expr.args[0].name.text);
  return from != nullptr && from->type.kind == ast::TypeName::Kind::collection &&
         expr.name.text == "PopBack";
}

/// Returns the collection or map of a variable, or of an element's property; null if there is none.
Handle Machine::collection(const ast::Expr& expr) {
  if (expr.kind == ast::ExprKind::name) return variable(expr.name.text);
  if (takes_set(expr)) {
    const Handle from = variable(expr.args[0].name.text);
    const Handle last = from->held.empty() ? nullptr : from->held.back();
    static_cast<void>(of_collection(*from, expr));
    return last;
  }
  const Handle held = property(expr.name.text);
  return held->held.at(static_cast<std::size_t>(element(expr.args[0])));
}

}  // namespace Atoll::greenmarl::oracle
