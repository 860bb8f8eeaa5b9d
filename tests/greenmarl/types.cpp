// Types of expressions, without evaluating them. The type of `c ? 1 : 0.5` doesn't depend on c.
#include "machine.hpp"

namespace Atoll::greenmarl::oracle {
namespace {

using Kind = ast::TypeName::Kind;

Static typed(ValueType type) {
  return {.type = type};
}

/// Returns the value type of a built-in's result, if it is the same for all receivers.
std::optional<ValueType> result_of(const std::string& name) {
  static const std::map<std::string, ValueType> results = {
      {"NumNodes", ValueType::int64},      {"NumEdges", ValueType::int64},
      {"PickRandom", ValueType::node},     {"OutDegree", ValueType::int64},
      {"Degree", ValueType::int64},        {"NumNbrs", ValueType::int64},
      {"NumOutNbrs", ValueType::int64},    {"InDegree", ValueType::int64},
      {"NumInNbrs", ValueType::int64},     {"HasEdgeTo", ValueType::boolean},
      {"HasEdgeFrom", ValueType::boolean}, {"IsNbrFrom", ValueType::boolean},
      {"PickRandomNbr", ValueType::node},  {"ToEdge", ValueType::edge},
      {"FromNode", ValueType::node},       {"ToNode", ValueType::node},
      {"Has", ValueType::boolean},         {"IsSubsetOf", ValueType::boolean},
      {"Size", ValueType::int64},          {"PopBack", ValueType::node},
      {"PopFront", ValueType::node},       {"Pop", ValueType::node},
      {"HasKey", ValueType::boolean},      {"HasMinValue", ValueType::boolean},
      {"HasMaxValue", ValueType::boolean}, {"Uniform", ValueType::float64},
      {"Rand", ValueType::int64},          {"Log", ValueType::float64},
      {"Exp", ValueType::float64},         {"Pow", ValueType::float64}};
  const auto found = results.find(name);
  return found == results.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Static Machine::static_type(const ast::Expr& expr) {
  step();
  switch (expr.kind) {
    case ast::ExprKind::integer: {
      const bool small = std::stoull(expr.name.text) <= std::numeric_limits<std::int32_t>::max();
      return {.type = small ? ValueType::int32 : ValueType::int64, .literal = true};
    }
    case ast::ExprKind::real:
      return {.type = ValueType::float64, .literal = true};
    case ast::ExprKind::boolean:
      return typed(ValueType::boolean);
    case ast::ExprKind::infinity:
      return {};
    case ast::ExprKind::nil:
      return {.type = {}, .element = true};
    case ast::ExprKind::name: {
      if (is_group(expr)) return typed(call().element.type);
      return typed(variable(expr.name.text)->type.value);
    }
    case ast::ExprKind::field:
      return typed(property(expr.name.text)->type.of[0].value);
    case ast::ExprKind::index:
      return typed(variable(expr.args[0].name.text)->type.of[1].value);
    case ast::ExprKind::edge_of:
      return typed(ValueType::edge);
    case ast::ExprKind::call:
      if (const ast::Procedure* callee = find(expr.name.text)) return typed(callee->returns->value);
      return typed(*result_of(expr.name.text));
    case ast::ExprKind::method:
      return static_method(expr);
    case ast::ExprKind::unary: {
      if (expr.unary == UnaryOp::logical_not) return typed(ValueType::boolean);
      Static operand = static_type(expr.args[0]);
      if (expr.unary == UnaryOp::negate) {
        const ast::ExprKind below = expr.args[0].kind;
        // -INF has the type of INF, -1 that of 1.
        if (below == ast::ExprKind::infinity || operand.literal) return operand;
      }
      return typed(operand.alone());
    }
    case ast::ExprKind::binary:
      if (precedence(expr.binary) < 5) return typed(ValueType::boolean);
      return typed(common_type(static_type(expr.args[0]), static_type(expr.args[1])));
    case ast::ExprKind::conditional:
      return static_conditional(expr);
    case ast::ExprKind::cast:
      return typed(expr.type.value);
    case ast::ExprKind::reduction:
      return static_reduction(expr);
    case ast::ExprKind::foreign:
      throw NotTaken("foreign text");
  }
  throw std::logic_error("expression");
}

Static Machine::static_conditional(const ast::Expr& expr) {
  const Static yes = static_type(expr.args[1]), no = static_type(expr.args[2]);
  // If INF is combined with INF, NIL or a literal number, the context of the whole expression gives
  // the type.
  if ((!yes.type || !no.type) && (!yes.type || yes.literal) && (!no.type || no.literal))
    return {.type = {},
            .element = yes.element || no.element,
            .number = yes.element || no.element ? ValueType::float64
                      : yes.type || no.type     ? yes.type.value_or(no.alone())
                                                : meeting(yes.number, no.number)};
  return typed(common_type(yes, no));
}

Static Machine::static_reduction(const ast::Expr& expr) {
  switch (expr.reduction) {
    case Reduction::count:
      return typed(ValueType::int64);
    case Reduction::all:
    case Reduction::exist:
      return typed(ValueType::boolean);
    case Reduction::average:
      return typed(ValueType::float64);
    default:
      break;
  }
  // Determines the body's type, with the iterator in scope.
  const ast::Header& header = expr.header[0];
  auto it = std::make_shared<Object>();
  it->type.value = header.range == Range::edges ? ValueType::edge : ValueType::node;
  // Sets in a property have nodes as items.
  if (header.range == Range::items && header.source.kind == ast::ExprKind::name) {
    const Handle source = variable(header.source.name.text);
    if (source->type.kind == Kind::collection) it->type = source->type.of[0];
  }
  call().scopes.emplace_back();
  declare(header.iterator.text, it);
  const Static body = static_type(expr.args[0]);
  call().scopes.pop_back();
  return typed(body.alone());
}

Static Machine::static_method(const ast::Expr& expr) {
  const std::string& name = expr.name.text;
  if (const auto result = result_of(name)) return typed(*result);
  const Handle map = variable(expr.args[0].name.text);
  if (name == "GetMinKey" || name == "GetMaxKey") return typed(map->type.of[0].value);
  return typed(map->type.of[1].value);  // GetMinValue, GetMaxValue
}

ValueType Machine::own_type(const ast::Expr& expr) {
  return static_type(expr).alone();
}

/// Returns the common type of two operands.
ValueType Machine::common_type(const Static& a, const Static& b) {
  if (!a.type && !b.type) return a.element ? ValueType::node : meeting(a.number, b.number);
  if (!a.type) return *b.type;
  if (!b.type) return *a.type;
  return is_number(*a.type) && is_number(*b.type) ? meeting(*a.type, *b.type) : *a.type;
}

}  // namespace Atoll::greenmarl::oracle
