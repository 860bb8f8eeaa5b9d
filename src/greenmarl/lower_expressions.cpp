// Lowers expressions.
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "greenmarl/effects.hpp"
#include "greenmarl/lowerer.hpp"

namespace Atoll::greenmarl {

ir::Expr Lowerer::expression(const ast::Expr& expr) {
  switch (expr.kind) {
    case ast::ExprKind::integer:
    case ast::ExprKind::real:
      return number(expr);
    case ast::ExprKind::boolean:
      return ir::bool_literal(expr.name.text == "True", expr.at);
    case ast::ExprKind::infinity: {
      ir::Expr result = ir::infinity(ValueType::float64, false, expr.at);
      result.flexible = true;
      return result;
    }
    case ast::ExprKind::nil: {
      ir::Expr result = ir::nil(ValueType::node, expr.at);
      result.flexible = true;
      return result;
    }
    case ast::ExprKind::name:
      return name(expr);
    case ast::ExprKind::field:
      return field(expr);
    case ast::ExprKind::index:
      return index(expr);
    case ast::ExprKind::edge_of:
      return edge_of(expr.args[0], expr.at);
    case ast::ExprKind::call:
    case ast::ExprKind::method: {
      auto value = expr.kind == ast::ExprKind::call ? call(expr) : method(expr);
      if (!value && expr.name.text == "PopBack")
        error(expr.name.at, "PopBack() of a collection of sets gives a set, not a value",
              "take it into a variable of its type: Node_Set s = …");
      if (!value)
        error(expr.name.at, fmt::format("{}() has no value", expr.name.text),
              "call it as a statement of its own");
      return std::move(*value);
    }
    case ast::ExprKind::unary:
      return unary(expr);
    case ast::ExprKind::binary:
      return binary(expr);
    case ast::ExprKind::conditional:
      return conditional(expr);
    case ast::ExprKind::cast:
      return cast(diagnostics_, expression(expr.args[0]), type_of(expr.type), expr.at);
    case ast::ExprKind::reduction:
      return reduction(expr);
    case ast::ExprKind::foreign:
      return foreign(expr);
  }
  throw InternalError("expression");
}

ir::Expr Lowerer::condition(const ast::Expr& expr) {
  return converted(diagnostics_, expression(expr), ValueType::boolean, "a condition");
}

ir::Expr Lowerer::number(const ast::Expr& expr, bool negative) {
  const std::string text = (negative ? "-" : "") + expr.name.text;
  if (expr.kind == ast::ExprKind::integer) {
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
      error(expr.at, fmt::format("{} is too {} for a Long", text, negative ? "low" : "large"),
            "write a Double: append .0");
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    const bool fits = -kMax <= value && value <= kMax;
    return ir::literal(value, fits ? ValueType::int32 : ValueType::int64, expr.at);
  }
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
    error(expr.at, fmt::format("{} is beyond what a Double holds", text), "write INF or 0.0");
  return ir::real_literal(value, ValueType::float64, expr.at);
}

ir::Expr Lowerer::name(const ast::Expr& expr) {
  const ir::SymbolId symbol = variable(expr.name);
  if (const ir::SymbolId current = group_element(symbol); current != ir::kNoSymbol)
    return ir::node(result_, current, expr.at);
  switch (result_[symbol].kind) {
    case ir::Symbol::Kind::scalar:
    case ir::Symbol::Kind::iterator:
      return result_[symbol].type.is_element() ? ir::node(result_, symbol, expr.at)
                                               : ir::scalar(result_, symbol, expr.at);
    case ir::Symbol::Kind::graph:
      error(expr.at, fmt::format("the graph '{}' can't stand here as a value", expr.name.text),
            "name one of its nodes; the graph stands for each node in G.property = … only");
    case ir::Symbol::Kind::collection:
    case ir::Symbol::Kind::map:
      error(expr.at,
            fmt::format("'{}', {}, can't stand here as a value", expr.name.text,
                        with_article(result_[symbol].type)),
            "call a built-in of it, such as Size()");
    default:
      throw InternalError("name");
  }
}

ir::Expr Lowerer::field(const ast::Expr& expr) {
  if (expr.args[0].kind == ast::ExprKind::name) {
    const ir::SymbolId object = variable(expr.args[0].name);
    if (!result_[object].type.is_element()) check_is_no_builtin(expr.name);
  }
  const ir::SymbolId at = element(expr.args[0], "to read a property of");
  const ir::SymbolId property = property_of(expr.name, at);
  const Type& type = ir::element_type(result_[property]);
  if (type.shape != Shape::value)
    error(expr.at,
          fmt::format("'{}', {}, can't stand here as a value", expr.name.text, with_article(type)),
          "call a built-in of it, such as Size()");
  ir::Expr result = ir::property(result_, property, at, expr.at);
  result.checked = may_be_nil(at);
  return result;
}

ir::Expr Lowerer::index(const ast::Expr& expr) {
  const ast::Expr& object = expr.args[0];
  if (object.kind != ast::ExprKind::name ||
      result_[variable(object.name)].kind != ir::Symbol::Kind::map)
    error(object.at, "only a Map has entries [key]", "declare it: Map<Int, Double> name;");
  const ir::SymbolId map = variable(object.name);
  const Type type = result_[map].type;
  ir::Expr key = converted(diagnostics_, expression(expr.args[1]), type.of[0], "a key");
  return ir::builtin(Builtin::get, Receiver::map, {map}, type.of[1], {std::move(key)}, expr.at);
}

ir::Expr Lowerer::unary(const ast::Expr& expr) {
  const ast::Expr& written = expr.args[0];
  const bool is_number =
      written.kind == ast::ExprKind::integer || written.kind == ast::ExprKind::real;
  if (expr.unary == UnaryOp::negate && is_number) return number(written, true);
  ir::Expr operand = expression(expr.args[0]);
  const bool logical = expr.unary == UnaryOp::logical_not;
  if (logical && operand.kind == ir::ExprKind::foreign) operand.type = ValueType::boolean;
  if (logical ? !operand.type.is(ValueType::boolean) : !is_numeric(operand.type))
    error(expr.at,
          fmt::format("{} has no {}", with_article(operand.type),
                      expr.unary == UnaryOp::absolute ? "absolute value"
                      : logical                       ? "opposite"
                                                      : "negative"),
          logical ? "'!' takes a Bool" : "a number is needed here");
  if (expr.unary == UnaryOp::negate && operand.kind == ir::ExprKind::infinity) {
    operand.negative = !operand.negative;
    return operand;
  }
  if (expr.unary == UnaryOp::negate && operand.kind == ir::ExprKind::literal) {
    if (auto* integer = std::get_if<std::int64_t>(&operand.literal))
      *integer = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(*integer));
    if (auto* real = std::get_if<double>(&operand.literal)) *real = -*real;
    return operand;
  }
  operand.flexible = false;
  return ir::unary(expr.unary, std::move(operand), expr.at);
}

ir::Expr Lowerer::kept(ir::Expr expr, std::string name) {
  const Position at = expr.at;
  const bool element = expr.type.is_element();
  const ir::SymbolId symbol = temporary(std::move(name), expr.type, at);
  emit(ir::declare(symbol, at, {std::move(expr)}));
  return element ? ir::node(result_, symbol, at) : ir::scalar(result_, symbol, at);
}

std::vector<ir::Expr> Lowerer::operands(const std::vector<ast::Expr>& exprs, std::size_t first) {
  std::vector<ir::Expr> values;
  for (std::size_t i = first; i < exprs.size(); ++i) {
    std::optional<ir::Expr> value;
    Statements before = captured([&] { value = expression(exprs[i]); });
    const ir::Effects effects = ir::effects_of(before);
    const bool changes =
        effects.ordered() || !effects.assigned.empty() ||
        std::any_of(effects.accesses.begin(), effects.accesses.end(),
                    [](const ir::SymbolAccess& access) { return access.writes(); });
    // A reduction's loop assigns only its own variables.
    const bool only_own =
        !effects.ordered() &&
        std::all_of(effects.assigned.begin(), effects.assigned.end(),
                    [&](const auto& entry) { return effects.declared.contains(entry.first); }) &&
        std::none_of(effects.accesses.begin(), effects.accesses.end(),
                     [](const ir::SymbolAccess& access) { return access.writes(); });
    if (changes && !only_own)
      for (ir::Expr& earlier : values)
        if (earlier.kind != ir::ExprKind::literal && !earlier.flexible)
          earlier = kept(std::move(earlier), "operand");
    for (ir::Stmt& stmt : before) emit(std::move(stmt));
    values.push_back(std::move(*value));
  }
  return values;
}

ir::Expr Lowerer::binary(const ast::Expr& expr) {
  const BinaryOp op = expr.binary;
  if (op == BinaryOp::logical_and || op == BinaryOp::logical_or) return logical(expr);
  std::vector<ir::Expr> both = operands(expr.args);
  ir::Expr& left = both[0];
  ir::Expr& right = both[1];
  unify(diagnostics_, left, right);
  const bool numbers = is_numeric(left.type) && is_numeric(right.type);
  const bool integers = numbers && is_integer(left.type);
  const bool nil = left.kind == ir::ExprKind::nil && right.kind == ir::ExprKind::nil;
  const bool same = left.type == right.type || nil;
  const bool equality = op == BinaryOp::equal || op == BinaryOp::not_equal;
  const bool fine = op == BinaryOp::modulo ? integers
                    : is_arithmetic(op)    ? numbers
                    : equality             ? same
                                           : numbers || (same && left.type.is_element());
  if (!fine)
    error(expr.at,
          fmt::format("'{}' does not go with {} and {}", to_string(op), with_article(left.type),
                      with_article(right.type)),
          differ_in_graph(left.type, right.type) ? "take both of one graph"
          : op == BinaryOp::modulo               ? "it takes two integers"
          : is_arithmetic(op)                    ? "it takes two numbers"
                                                 : "it takes two numbers, or two of one type");
  return ir::binary(op, std::move(left), std::move(right), expr.at);
}

// Lowers c && d. If d needs statements, they run only if c holds.
ir::Expr Lowerer::logical(const ast::Expr& expr) {
  ir::Expr left = condition(expr.args[0]);
  std::optional<ir::Expr> right;
  Statements before_right = captured([&] { right = condition(expr.args[1]); });
  if (before_right.empty())
    return ir::binary(expr.binary, std::move(left), std::move(*right), expr.at);
  const ir::SymbolId both = temporary("condition", ValueType::boolean, expr.at);
  emit(ir::declare(both, expr.at, {std::move(left)}));
  ir::Expr needed = ir::scalar(result_, both, expr.at);
  if (expr.binary == BinaryOp::logical_or)
    needed = ir::unary(UnaryOp::logical_not, std::move(needed), expr.at);
  before_right.push_back(ir::assign(both, AssignOp::set, std::move(*right), expr.at));
  emit(ir::if_then(std::move(needed), std::move(before_right), {}, expr.at));
  return ir::scalar(result_, both, expr.at);
}

ir::Expr Lowerer::conditional(const ast::Expr& expr) {
  ir::Expr test = condition(expr.args[0]);
  std::optional<ir::Expr> yes, no;
  Statements before_yes = captured([&] { yes = expression(expr.args[1]); });
  Statements before_no = captured([&] { no = expression(expr.args[2]); });
  unify(diagnostics_, *yes, *no);
  const bool nil = yes->kind == ir::ExprKind::nil && no->kind == ir::ExprKind::nil;
  if (yes->type != no->type && !nil)
    error(expr.at,
          fmt::format("'?' has to choose between {} and {}", with_article(yes->type),
                      with_article(no->type)),
          differ_in_graph(yes->type, no->type) ? "take both of one graph"
                                               : "both have to be numbers, or of one type");
  const Type type = yes->type;
  if (before_yes.empty() && before_no.empty()) {
    const auto open = [](const ir::Expr& e) {
      return e.flexible || e.kind == ir::ExprKind::literal;
    };
    ir::Expr result;
    result.kind = ir::ExprKind::conditional;
    result.type = type;
    result.at = expr.at;
    result.flexible = (yes->flexible || no->flexible) && open(*yes) && open(*no);
    result.args = {std::move(test), std::move(*yes), std::move(*no)};
    return result;
  }
  const ir::SymbolId chosen = temporary("chosen", type, expr.at);
  emit(ir::declare(chosen, expr.at));
  before_yes.push_back(ir::assign(chosen, AssignOp::set, std::move(*yes), expr.at));
  before_no.push_back(ir::assign(chosen, AssignOp::set, std::move(*no), expr.at));
  emit(ir::if_then(std::move(test), std::move(before_yes), std::move(before_no), expr.at));
  return type.is_element() ? ir::node(result_, chosen, expr.at)
                           : ir::scalar(result_, chosen, expr.at);
}

// Foreign text isn't parsed; it takes the type of its context.
ir::Expr Lowerer::foreign(const ast::Expr& expr) {
  if (!options_.foreign) error(expr.at, "foreign text is refused", "leave --no-foreign out");
  ir::Expr result;
  result.kind = ir::ExprKind::foreign;
  result.at = expr.at;
  result.flexible = true;
  result.texts = expr.texts;
  for (const ast::Expr& arg : expr.args) {
    if (const auto place = collection(arg)) {
      ir::Expr held;
      held.kind = ir::ExprKind::collection;
      held.at = arg.at;
      held.type = ir::element_type(result_[place->symbol]);
      held.symbol = place->symbol;
      held.node = place->node;
      result.args.push_back(std::move(held));
    } else {
      result.args.push_back(expression(arg));
    }
  }
  return result;
}

}  // namespace Atoll::greenmarl
