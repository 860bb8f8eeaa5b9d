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

std::optional<Range> range_of(Tok kind) {
  switch (kind) {
    case Tok::nodes:
      return Range::nodes;
    case Tok::edges:
      return Range::edges;
    case Tok::nbrs:
      return Range::out_nbrs;
    case Tok::in_nbrs:
      return Range::in_nbrs;
    case Tok::up_nbrs:
      return Range::up_nbrs;
    case Tok::down_nbrs:
      return Range::down_nbrs;
    case Tok::items:
      return Range::items;
    case Tok::common_nbrs:
      return Range::common_nbrs;
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
  const auto look = [&](const std::vector<Expr>& children) {
    for (const Expr& child : children) below = std::max(below, child.height);
  };
  look(expr.args);
  look(expr.filter);
  for (const ast::Header& header : expr.header) {
    below = std::max(below, header.source.height);
    look(header.args);
  }
  expr.height = below + 1;
  if (expr.height > kMaxDepth)
    fail_at(expr.at, "this expression is too long",
            fmt::format("at most {} operators within each other; use variables", kMaxDepth));
  return expr;
}

Expr ExpressionParser::expression() {
  Expr test = binary(1);
  if (!at(Tok::question)) return test;
  const Level level(*this);
  const Position position = take().at;
  Expr yes = expression();
  expect(Tok::colon, "between the two values of '?'");
  Expr no = expression();
  return checked(
      make(ExprKind::conditional, position, {std::move(test), std::move(yes), std::move(no)}));
}

Expr ExpressionParser::binary(int min_precedence) {
  Expr left = unary();
  for (;;) {
    const auto op = binary_op(peek().kind);
    if (!op || precedence(*op) < min_precedence) return left;
    // In <a; b> min= <x; y>; this '>' closes the list of values.
    const Tok after = peek(1).kind;
    if (at(Tok::greater) && (after == Tok::semicolon || after == Tok::at)) return left;
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
  if (at(Tok::minus) || at(Tok::not_)) {
    Expr expr = make(ExprKind::unary, position);
    expr.unary = take().kind == Tok::not_ ? UnaryOp::logical_not : UnaryOp::negate;
    expr.args.push_back(unary());
    return checked(std::move(expr));
  }
  if (at(Tok::plus) && peek(1).kind == Tok::inf) take();
  if (at(Tok::left_paren) && at_value_type(1) && peek(2).kind == Tok::right_paren) {
    take();
    Expr expr = make(ExprKind::cast, position);
    expr.type = type("in a cast");
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
      return postfix(parenthesised(""));
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
    case Tok::nil:
      take();
      return make(ExprKind::nil, token.at);
    case Tok::identifier:
    case Tok::edge:
      return place();
    case Tok::foreign:
      return foreign();
    case Tok::or_:
      fail_at(token.at, "'||' can't stand here", "write |e| within |…| as |(|e|)|");
    default:
      fail_expected("an expression");
  }
}

Expr ExpressionParser::place() {
  return postfix(at(Tok::edge) ? edge() : named());
}

Expr ExpressionParser::edge() {
  Expr expr = make(ExprKind::edge_of, take().at);
  expr.args.push_back(parenthesised("after Edge"));
  return checked(std::move(expr));
}

Expr ExpressionParser::named() {
  const ast::Name name = expect_name("of a variable");
  Expr expr = make(ExprKind::name, name.at);
  expr.name = name;
  if (!at(Tok::left_paren)) return expr;
  expr.kind = ExprKind::call;
  arguments(expr);
  return checked(std::move(expr));
}

void ExpressionParser::arguments(Expr& call) {
  expect(Tok::left_paren, "before arguments");
  while (!at(Tok::right_paren)) {
    call.args.push_back(expression());
    if (at(Tok::colon) && call.kind == ExprKind::call)
      fail_at(
          call.at, fmt::format("'{}' begins no loop or reduction", call.name.text),
          "write Foreach, For, InBFS or InDFS; Sum, Product, Count, Min, Max, All, Exist or Avg");
    // As in a declaration, outputs may follow a ';'.
    if (!at(Tok::right_paren) && !accept(Tok::semicolon)) expect(Tok::comma, "between arguments");
  }
  take();
}

Expr ExpressionParser::postfix(Expr expr) {
  for (;;) {
    if (at(Tok::dot) && !at_range(1)) {
      expr = member(std::move(expr));
    } else if (at(Tok::left_bracket)) {
      const Position position = take().at;
      Expr entry = make(ExprKind::index, position, {std::move(expr), expression()});
      expect(Tok::right_bracket, "to close this '['");
      expr = checked(std::move(entry));
    } else {
      return expr;
    }
  }
}

Expr ExpressionParser::member(Expr object) {
  take();
  const Position position = object.at;
  Expr expr = make(ExprKind::field, position, {std::move(object)});
  expr.name = expect_name("of a property or built-in after '.'");
  if (at(Tok::left_paren)) {
    expr.kind = ExprKind::method;
    arguments(expr);
  }
  return checked(std::move(expr));
}

Expr ExpressionParser::reduction(Reduction op) {
  Expr expr = make(ExprKind::reduction, take().at);
  expr.reduction = op;
  expect(Tok::left_paren, "before an iterator");
  if (peek(1).kind == Tok::comma || peek(1).kind == Tok::right_paren)
    fail_at(expr.at, fmt::format("{} runs over nodes, edges or items", to_string(op)),
            op == Reduction::min || op == Reduction::max
                ? fmt::format("write {}(it: …){{…}}; of two values take a {} b ? a : b",
                              to_string(op), op == Reduction::min ? '<' : '>')
                : fmt::format("write {}(it: …)", to_string(op)));
  expr.header.push_back(header());
  expect(Tok::right_paren, "after what to run over");
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

bool ExpressionParser::at_range(std::size_t ahead) const {
  return range_of(peek(ahead).kind).has_value();
}

// Parses a name, or a field or map entry that holds a collection; .Nodes and similar ranges end it.
Expr ExpressionParser::source() {
  if (!at(Tok::identifier) && !at(Tok::edge))
    fail_expected("what to run over: a graph, a node or a collection");
  return place();
}

ast::Header ExpressionParser::header() {
  ast::Header result;
  result.iterator = expect_name("for the iterator");
  expect(Tok::colon, "between the iterator and what it runs over");
  result.source = source();
  result.transposed = accept(Tok::caret);
  if (at(Tok::plus) || at(Tok::minus)) result.backwards = take().kind == Tok::minus;
  if (!at(Tok::dot) && result.source.kind == ExprKind::field) no_range(result.source.name);
  expect(Tok::dot, "before what to run over, such as .Nodes or .Nbrs");
  range(result);
  return result;
}

void ExpressionParser::no_range(const ast::Name& name) const {
  fail_at(name.at, fmt::format("nothing runs over '{}'", name.text),
          "write Nodes, Edges, Nbrs, InNbrs, UpNbrs, DownNbrs, Items or CommonNbrs(node)");
}

void ExpressionParser::range(ast::Header& header) {
  const Token token = take();
  const auto range = range_of(token.kind);
  if (!range) no_range({std::string(token.text), token.at});
  header.range = *range;
  if (header.backwards && *range != Range::items)
    fail_at(token.at, fmt::format("{} have no direction", token.text),
            "only Items run backwards: collection-.Items");
  if (*range == Range::common_nbrs) {
    expect(Tok::left_paren, "after CommonNbrs");
    header.args.push_back(expression());
    expect(Tok::right_paren, "after the other node");
  }
}

// Splits the text at $name and $name.name.
Expr ExpressionParser::foreign() {
  const Token token = take();
  std::string_view text = token.text.substr(1, token.text.size() - 2);
  const char* counted = token.text.data();
  Position position = token.at;
  const auto here = [&] {
    position = behind(position, {counted, text.data()});
    counted = text.data();
    return position;
  };
  Expr expr = make(ExprKind::foreign, token.at);
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto word = [&] {
    const auto end = std::ranges::find_if_not(text, is_name) - text.begin();
    ast::Name name{std::string(text.substr(0, static_cast<std::size_t>(end))), here()};
    text.remove_prefix(static_cast<std::size_t>(end));
    return name;
  };
  for (;;) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    expr.texts.emplace_back(text.substr(0, dollar));
    text.remove_prefix(dollar);
    if (text.empty()) return checked(std::move(expr));
    Expr mentioned = make(ExprKind::name, here());
    text.remove_prefix(1);
    mentioned.name = word();
    if (mentioned.name.text.empty())
      fail_at(mentioned.at, "a '$' in this foreign text is followed by no name", "write $name");
    while (text.size() > 1 && text[0] == '.' && is_name(text[1]) &&
           !(text[1] >= '0' && text[1] <= '9')) {
      text.remove_prefix(1);
      const Position at = mentioned.at;
      Expr field = make(ExprKind::field, at, {std::move(mentioned)});
      field.name = word();
      mentioned = checked(std::move(field));
    }
    expr.args.push_back(std::move(mentioned));
  }
}

}  // namespace Atoll::greenmarl
