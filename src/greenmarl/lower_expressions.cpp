// Lowers expressions. A reduction becomes a loop before the statement that uses it. If an operand
// is evaluated only under a condition, so is its loop.
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "greenmarl/lowerer.hpp"

namespace Atoll::greenmarl {
namespace {

std::string_view accumulator_name(Reduction op) {
  switch (op) {
    case Reduction::sum:
    case Reduction::average:
      return "sum";
    case Reduction::product:
      return "product";
    case Reduction::min:
      return "least";
    case Reduction::max:
      return "greatest";
    case Reduction::count:
      return "count";
    case Reduction::all:
      return "all";
    case Reduction::exist:
      return "any";
  }
  return "value";
}

AssignOp combining(Reduction op) {
  switch (op) {
    case Reduction::sum:
    case Reduction::count:
    case Reduction::average:
      return AssignOp::sum;
    case Reduction::product:
      return AssignOp::product;
    case Reduction::min:
      return AssignOp::min;
    case Reduction::max:
      return AssignOp::max;
    case Reduction::all:
      return AssignOp::all;
    case Reduction::exist:
      return AssignOp::any;
  }
  return AssignOp::sum;
}

bool is_degree(std::string_view name, bool& in) {
  in = name == "InDegree" || name == "NumInNbrs";
  return in || name == "Degree" || name == "OutDegree" || name == "NumNbrs" || name == "NumOutNbrs";
}

bool is_unsupported_builtin(std::string_view name) {
  for (const std::string_view known : {"PickRandom", "PickRandomNbr", "IsNbrFrom", "HasEdgeFrom",
                                       "HasEdgeTo", "ToEdge", "FromNode", "ToNode"})
    if (name == known) return true;
  return false;
}

}  // namespace

ir::Expr Lowerer::expression(const ast::Expr& expr) {
  switch (expr.kind) {
    case ast::ExprKind::integer:
    case ast::ExprKind::real:
      return number(expr);
    case ast::ExprKind::boolean:
      return ir::bool_literal(expr.name.text == "True", expr.at);
    case ast::ExprKind::infinity: {
      ir::Expr result = ir::infinity(Type::float64, false, expr.at);
      result.flexible = true;
      return result;
    }
    case ast::ExprKind::name:
      return name(expr);
    case ast::ExprKind::field:
      return field(expr);
    case ast::ExprKind::call:
      return call(expr);
    case ast::ExprKind::unary:
      return unary(expr);
    case ast::ExprKind::binary:
      return binary(expr);
    case ast::ExprKind::conditional:
      return conditional(expr);
    case ast::ExprKind::cast:
      return cast(source_, expression(expr.args[0]), expr.type, expr.at);
    case ast::ExprKind::reduction:
      return reduction(expr);
  }
  throw InternalError("expression");
}

ir::Expr Lowerer::condition(const ast::Expr& expr) {
  return converted(source_, expression(expr), Type::boolean, "a condition");
}

ir::Expr Lowerer::number(const ast::Expr& expr) {
  const std::string& text = expr.name.text;
  if (expr.kind == ast::ExprKind::integer) {
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
      error(expr.at, fmt::format("{} is too large for a Long", text), "write a Double: append .0");
    const bool fits = value <= std::numeric_limits<std::int32_t>::max();
    return ir::literal(value, fits ? Type::int32 : Type::int64, expr.at);
  }
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{})
    error(expr.at, fmt::format("{} is beyond what a Double holds", text), "write INF or 0.0");
  return ir::real_literal(value, Type::float64, expr.at);
}

ir::Expr Lowerer::name(const ast::Expr& expr) {
  const ir::SymbolId symbol = scopes_.find(expr.name);
  if (symbol == ir::kNoSymbol || result_[symbol].type == Type::node)
    return ir::node(node_of(expr.name, "as a value"), expr.at);
  if (result_[symbol].kind == ir::Symbol::Kind::property)
    error(expr.at, fmt::format("'{}' is a property, and no node is named", expr.name.text),
          fmt::format("write node.{}", expr.name.text));
  return ir::scalar(result_, symbol, expr.at);
}

ir::SymbolId Lowerer::node_of(const ast::Name& name, std::string_view use) const {
  const ir::SymbolId symbol = scopes_.find(name);
  if (symbol == ir::kNoSymbol) {
    if (group_ == ir::kNoSymbol)
      error(name.at, fmt::format("the graph '{}' can't stand here {}", name.text, use),
            "name one of its nodes; the graph stands for each node in G.property = … only");
    return group_;
  }
  if (result_[symbol].kind == ir::Symbol::Kind::property || result_[symbol].type != Type::node)
    error(name.at, fmt::format("'{}' is no node", name.text),
          "an iterator or a Node is needed here");
  return symbol;
}

ir::SymbolId Lowerer::property_of(const ast::Name& name) const {
  const ir::SymbolId symbol = scopes_.find(name);
  if (symbol == ir::kNoSymbol || result_[symbol].kind != ir::Symbol::Kind::property)
    error(name.at, fmt::format("'{}' is no property", name.text),
          "declare it: Node_Prop<Double> name;");
  return symbol;
}

ir::Expr Lowerer::field(const ast::Expr& expr) {
  const ir::SymbolId property = property_of(expr.member);
  return ir::property(result_, property, node_of(expr.name, "to read a property of"), expr.at);
}

ir::Expr Lowerer::call(const ast::Expr& expr) {
  const ir::SymbolId base = scopes_.find(expr.name);
  const std::string& method = expr.member.text;
  const bool on_graph = base == ir::kNoSymbol;
  ir::Expr result;
  result.at = expr.at;
  result.type = Type::int64;
  bool in = false;
  if (on_graph && (method == "NumNodes" || method == "NumEdges")) {
    result.kind = method == "NumNodes" ? ir::ExprKind::node_count : ir::ExprKind::edge_count;
  } else if (is_degree(method, in)) {
    result.kind = in ? ir::ExprKind::in_degree : ir::ExprKind::out_degree;
    result.node = node_of(expr.name, "to ask for a degree");
  } else if (is_unsupported_builtin(method)) {
    fail_unsupported(source_, expr.member.at, method + "()");
  } else {
    error(expr.member.at, fmt::format("there is no built-in '{}' here", method),
          on_graph ? "a graph has NumNodes() and NumEdges()"
                   : "a node has Degree(), OutDegree(), NumNbrs(), NumOutNbrs(), InDegree() and "
                     "NumInNbrs()");
  }
  if (!expr.args.empty())
    error(expr.args[0].at, fmt::format("{}() takes no arguments", method), "leave them out");
  return result;
}

ir::Expr Lowerer::unary(const ast::Expr& expr) {
  ir::Expr operand = expression(expr.args[0]);
  const bool logical = expr.unary == UnaryOp::logical_not;
  if (logical ? operand.type != Type::boolean : !is_numeric(operand.type))
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
    if (auto* integer = std::get_if<std::int64_t>(&operand.literal)) *integer = -*integer;
    if (auto* real = std::get_if<double>(&operand.literal)) *real = -*real;
    return operand;
  }
  return ir::unary(expr.unary, std::move(operand), expr.at);
}

ir::Expr Lowerer::binary(const ast::Expr& expr) {
  const BinaryOp op = expr.binary;
  if (op == BinaryOp::logical_and || op == BinaryOp::logical_or) return logical(expr);
  ir::Expr left = expression(expr.args[0]);
  ir::Expr right = expression(expr.args[1]);
  const bool numbers = is_numeric(left.type) && is_numeric(right.type);
  if (numbers) unify(source_, left, right);
  const bool integers = numbers && is_integer(left.type);
  const bool same = left.type == right.type;
  const bool equality = op == BinaryOp::equal || op == BinaryOp::not_equal;
  const bool fine = op == BinaryOp::modulo ? integers
                    : is_arithmetic(op)    ? numbers
                    : equality             ? same
                                           : numbers || (same && left.type == Type::node);
  if (!fine)
    error(expr.at,
          fmt::format("'{}' does not go with {} and {}", to_string(op), with_article(left.type),
                      with_article(right.type)),
          op == BinaryOp::modulo ? "it takes two integers"
          : is_arithmetic(op)    ? "it takes two numbers"
                                 : "it takes two numbers, or two of one type");
  return ir::binary(op, std::move(left), std::move(right), expr.at);
}

// Lowers c && d if d needs statements of its own: they run only if c holds.
ir::Expr Lowerer::logical(const ast::Expr& expr) {
  ir::Expr left = condition(expr.args[0]);
  std::optional<ir::Expr> right;
  Statements before_right = captured([&] { right = condition(expr.args[1]); });
  if (before_right.empty())
    return ir::binary(expr.binary, std::move(left), std::move(*right), expr.at);
  const ir::SymbolId both = temporary("condition", Type::boolean, expr.at);
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
  if (is_numeric(yes->type) && is_numeric(no->type)) unify(source_, *yes, *no);
  if (yes->type != no->type)
    error(expr.at,
          fmt::format("'?' has to choose between {} and {}", with_article(yes->type),
                      with_article(no->type)),
          "both have to be numbers, or of one type");
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
  return type == Type::node ? ir::node(chosen, expr.at) : ir::scalar(result_, chosen, expr.at);
}

ir::Expr Lowerer::reduction(const ast::Expr& expr) {
  const Reduction op = expr.reduction;
  const bool logical = op == Reduction::all || op == Reduction::exist;
  ir::Stmt loop = enter_loop(expr.header, true, expr.at);
  scopes_.declare(expr.header.iterator, loop.symbol);
  Type type = op == Reduction::count ? Type::int64 : logical ? Type::boolean : Type::float64;
  ir::SymbolId total, counter = ir::kNoSymbol;
  loop.body = captured([&] {
    std::optional<ir::Expr> filter;
    if (!expr.filter.empty()) filter = condition(expr.filter[0]);
    Statements combine = captured([&] {
      ir::Expr value = ir::literal(1, Type::int64, expr.at);
      if (op != Reduction::count) {
        value = expression(expr.args[0]);
        if (!logical && !is_numeric(value.type))
          error(expr.args[0].at, fmt::format("{} of {}", to_string(op), with_article(value.type)),
                "its body has to be a number");
        if (!logical && op != Reduction::average) type = value.type;
        value = converted(source_, std::move(value), type,
                          fmt::format("in the body of {}", to_string(op)));
      }
      total = temporary(std::string(accumulator_name(op)), type, expr.at);
      emit(ir::assign(total, combining(op), std::move(value), expr.at));
      if (op == Reduction::average) {
        counter = temporary("count", Type::int64, expr.at);
        emit(ir::assign(counter, AssignOp::sum, ir::literal(1, Type::int64, expr.at), expr.at));
      }
    });
    if (filter) return emit(ir::if_then(std::move(*filter), std::move(combine), {}, expr.at));
    for (ir::Stmt& stmt : combine) emit(std::move(stmt));
  });
  leave_loop();
  emit(ir::declare(total, expr.at, {ir::identity(combining(op), type, expr.at)}));
  if (op == Reduction::average) emit(ir::declare(counter, expr.at));
  emit(std::move(loop));

  ir::Expr value = ir::scalar(result_, total, expr.at);
  if (op != Reduction::average) return value;
  // The average of nothing is 0.
  const ir::Expr count = ir::scalar(result_, counter, expr.at);
  ir::Expr result;
  result.kind = ir::ExprKind::conditional;
  result.at = expr.at;
  result.args.push_back(
      ir::binary(BinaryOp::equal, count, ir::literal(0, Type::int64, expr.at), expr.at));
  result.args.push_back(ir::real_literal(0, Type::float64, expr.at));
  result.args.push_back(ir::binary(BinaryOp::divide, std::move(value),
                                   cast(source_, count, Type::float64, expr.at), expr.at));
  return result;
}

}  // namespace Atoll::greenmarl
