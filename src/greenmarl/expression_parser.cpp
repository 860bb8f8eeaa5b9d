// Parses expressions by precedence climbing.
#include "greenmarl/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "greenmarl/parser.hpp"

namespace Atoll::greenmarl {
namespace {

using ast::Expr;
using ast::ExprKind;

std::optional<BinaryOp> binary_op(Tok kind) {
  switch (kind) {
    case Tok::plus:
      return BinaryOp::add;
    case Tok::minus:
      return BinaryOp::subtract;
    case Tok::times:
      return BinaryOp::multiply;
    case Tok::slash:
      return BinaryOp::divide;
    case Tok::percent:
      return BinaryOp::modulo;
    case Tok::equal:
      return BinaryOp::equal;
    case Tok::not_equal:
      return BinaryOp::not_equal;
    case Tok::less:
      return BinaryOp::less;
    case Tok::less_equal:
      return BinaryOp::less_equal;
    case Tok::greater:
      return BinaryOp::greater;
    case Tok::greater_equal:
      return BinaryOp::greater_equal;
    case Tok::and_:
      return BinaryOp::logical_and;
    case Tok::or_:
      return BinaryOp::logical_or;
    default:
      return std::nullopt;
  }
}

std::optional<Reduction> reduction_op(Tok kind) {
  switch (kind) {
    case Tok::sum:
      return Reduction::sum;
    case Tok::product:
      return Reduction::product;
    case Tok::min:
      return Reduction::min;
    case Tok::max:
      return Reduction::max;
    case Tok::count:
      return Reduction::count;
    case Tok::all:
      return Reduction::all;
    case Tok::exist:
      return Reduction::exist;
    case Tok::avg:
      return Reduction::average;
    default:
      return std::nullopt;
  }
}

std::optional<Type> type_of(Tok kind) {
  switch (kind) {
    case Tok::int_type:
      return Type::int32;
    case Tok::long_type:
      return Type::int64;
    case Tok::float_type:
      return Type::float32;
    case Tok::double_type:
      return Type::float64;
    case Tok::bool_type:
      return Type::boolean;
    case Tok::node:
      return Type::node;
    default:
      return std::nullopt;
  }
}

Expr make(ExprKind kind, Position at, std::vector<Expr> args = {}) {
  Expr expr;
  expr.kind = kind;
  expr.at = at;
  expr.args = std::move(args);
  return expr;
}

}  // namespace

Expr ExpressionParser::checked(Expr expr) const {
  int below = 0;
  for (const auto* children : {&expr.args, &expr.filter})
    for (const Expr& child : *children) below = std::max(below, child.height);
  expr.height = below + 1;
  if (expr.height > kMaxDepth)
    fail_at(expr.at, "this expression is too long",
            fmt::format("at most {} operators within each other; use variables", kMaxDepth));
  return expr;
}

Expr ExpressionParser::expression() {
  Expr condition = binary(1);
  if (!at(Tok::question)) return condition;
  const Level level(*this);
  const Position position = take().at;
  Expr yes = expression();
  expect(Tok::colon, "between the two values of '?'");
  Expr no = expression();
  return checked(
      make(ExprKind::conditional, position, {std::move(condition), std::move(yes), std::move(no)}));
}

Expr ExpressionParser::binary(int min_precedence) {
  Expr left = unary();
  for (;;) {
    const auto op = binary_op(peek().kind);
    if (!op || precedence(*op) < min_precedence) return left;
    const Position position = take().at;
    Expr right = binary(precedence(*op) + 1);
    Expr both = make(ExprKind::binary, position, {std::move(left), std::move(right)});
    both.binary = *op;
    left = checked(std::move(both));
  }
}

Expr ExpressionParser::unary() {
  const Level level(*this);
  const Position position = peek().at;
  if (accept(Tok::minus) || at(Tok::not_)) {
    Expr expr = make(ExprKind::unary, position);
    expr.unary = accept(Tok::not_) ? UnaryOp::logical_not : UnaryOp::negate;
    expr.args.push_back(unary());
    return checked(std::move(expr));
  }
  if (at(Tok::plus) && peek(1).kind == Tok::inf) take();
  if (at(Tok::left_paren) && type_of(peek(1).kind) && peek(2).kind == Tok::right_paren) {
    take();
    Expr expr = make(ExprKind::cast, position);
    expr.type = value_type("in a cast");
    take();
    expr.args.push_back(unary());
    return checked(std::move(expr));
  }
  return primary();
}

Expr ExpressionParser::parenthesised(std::string_view where) {
  expect(Tok::left_paren, where);
  Expr inner = expression();
  expect(Tok::right_paren, "to close this '('");
  return inner;
}

Expr ExpressionParser::primary() {
  const Token token = peek();
  if (const auto op = reduction_op(token.kind)) return reduction(*op);
  switch (token.kind) {
    case Tok::left_paren:
      return parenthesised("");
    case Tok::bar: {
      take();
      Expr expr = make(ExprKind::unary, token.at, {expression()});
      expr.unary = UnaryOp::absolute;
      expect(Tok::bar, "to close this '|'");
      return checked(std::move(expr));
    }
    case Tok::integer:
    case Tok::real:
    case Tok::true_:
    case Tok::false_: {
      take();
      Expr expr = make(token.kind == Tok::integer ? ExprKind::integer
                       : token.kind == Tok::real  ? ExprKind::real
                                                  : ExprKind::boolean,
                       token.at);
      expr.name = {std::string(token.text), token.at};
      return expr;
    }
    case Tok::inf:
      take();
      return make(ExprKind::infinity, token.at);
    case Tok::identifier:
      return named();
    case Tok::nil:
      unsupported(token, "NIL", "start with an existing node");
    case Tok::edge:
      unsupported(token, "Edge(…)");
    case Tok::or_:
      fail_at(token.at, "'||' can't stand here", "write |e| within |…| as |(|e|)|");
    default:
      fail_expected("an expression");
  }
}

Expr ExpressionParser::named() {
  const Token token = take();
  Expr expr = make(ExprKind::name, token.at);
  expr.name = {std::string(token.text), token.at};
  if (at(Tok::left_paren)) unsupported(token, fmt::format("calling '{}'", token.text));
  if (at(Tok::left_bracket)) unsupported(token, "reading a Map");
  if (!accept(Tok::dot)) return expr;
  expr.member = expect_name("of a property or built-in after '.'");
  expr.kind = ExprKind::field;
  if (accept(Tok::left_paren)) {
    expr.kind = ExprKind::call;
    while (!at(Tok::right_paren)) {
      expr.args.push_back(expression());
      if (!at(Tok::right_paren)) expect(Tok::comma, "between arguments");
    }
    take();
  }
  if (at(Tok::dot)) unsupported(peek(), "reaching on from a property or a call with '.'");
  return checked(std::move(expr));
}

Expr ExpressionParser::reduction(Reduction op) {
  Expr expr = make(ExprKind::reduction, take().at);
  expr.reduction = op;
  expr.header = header();
  if (at(Tok::left_paren)) expr.filter.push_back(parenthesised(""));
  if (op != Reduction::count) {
    expect(Tok::left_brace, fmt::format("before the body of {}", to_string(op)));
    expr.args.push_back(expression());
    expect(Tok::right_brace, fmt::format("after the body of {}", to_string(op)));
  } else if (at(Tok::left_brace)) {
    fail_expected("no body: Count(it: …)(condition)");
  }
  return checked(std::move(expr));
}

ast::Header ExpressionParser::header() {
  ast::Header result;
  expect(Tok::left_paren, "before an iterator");
  result.iterator = expect_name("for the iterator");
  expect(Tok::colon, "after the iterator");
  result.source = expect_name("of the graph or a node");
  if (at(Tok::caret)) unsupported(peek(), "the transposed graph ^");
  expect(Tok::dot, "before what to run over");
  const Token range = take();
  switch (range.kind) {
    case Tok::nodes:
      result.range = Range::nodes;
      break;
    case Tok::nbrs:
      result.range = Range::out_nbrs;
      break;
    case Tok::in_nbrs:
      result.range = Range::in_nbrs;
      break;
    case Tok::edges:
    case Tok::up_nbrs:
    case Tok::down_nbrs:
    case Tok::items:
    case Tok::common_nbrs:
      unsupported(range, fmt::format("running over {}", range.text));
    default:
      fail_at(range.at, fmt::format("nothing runs over '{}'", range.text),
              "write Nodes, Nbrs, OutNbrs or InNbrs");
  }
  expect(Tok::right_paren, "after what to run over");
  return result;
}

bool ExpressionParser::at_value_type() const {
  return type_of(peek().kind).has_value();
}

bool ExpressionParser::at_collection_type() const {
  switch (peek().kind) {
    case Tok::edge:
    case Tok::edge_prop:
    case Tok::node_set:
    case Tok::node_order:
    case Tok::node_seq:
    case Tok::collection:
    case Tok::map:
      return true;
    default:
      return false;
  }
}

Type ExpressionParser::value_type(std::string_view where) {
  if (at_collection_type()) unsupported(peek(), peek().text);
  const auto type = type_of(peek().kind);
  if (!type) fail_expected(fmt::format("a type {}: Int, Long, Float, Double, Bool or Node", where));
  take();
  return *type;
}

}  // namespace Atoll::greenmarl
