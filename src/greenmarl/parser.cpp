// The part of the parser for procedures and statements.
#include "greenmarl/parser.hpp"

#include <fmt/format.h>

#include "greenmarl/expression_parser.hpp"

namespace Atoll::greenmarl {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::Parameter;
using ast::Stmt;
using ast::StmtKind;

class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  ast::Module file() {
    ast::Module module;
    if (at(Tok::end)) {
      diagnostics_.error(peek().at, "there is no procedure in this file",
                         "write Procedure name(G: Graph) { … }");
      return module;
    }
    while (!at(Tok::end) && !diagnostics_.full()) {
      const std::size_t start = mark();
      try {
        module.procedures.push_back(procedure());
      } catch (const MistakeReported&) {
        skip_procedure(start);
      }
    }
    return module;
  }

 private:
  ast::Procedure procedure() {
    ast::Procedure result;
    result.local = accept(Tok::local);
    if (!result.local || at(Tok::procedure)) expect(Tok::procedure, "at the start of a procedure");
    result.name = expect_name("for the procedure");
    expect(Tok::left_paren, "before the parameters");
    if (!at(Tok::semicolon) && !at(Tok::right_paren)) result.inputs = parameters();
    if (accept(Tok::semicolon) && !at(Tok::right_paren)) result.outputs = parameters();
    expect(Tok::right_paren, "after the parameters");
    if (accept(Tok::colon)) result.returns = type("to return");
    if (!at(Tok::left_brace)) fail_expected("'{' before the procedure's body");
    result.body = block();
    return result;
  }

  std::vector<Parameter> parameters() {
    std::vector<Parameter> all;
    do {
      const std::size_t first = all.size();
      do {
        all.emplace_back().name = expect_name("for a parameter");
      } while (accept(Tok::comma));
      expect(Tok::colon, "between a parameter and its type");
      const ast::TypeName typed = type("of a parameter");
      for (std::size_t i = first; i < all.size(); ++i) all[i].type = typed;
    } while (accept(Tok::comma));
    return all;
  }

  std::vector<Stmt> block() {
    take();
    std::vector<Stmt> statements;
    while (!at(Tok::right_brace)) {
      if (at_procedure()) fail_expected("'}' at the end of a block");
      statement_of(statements);
    }
    take();
    return statements;
  }

  /// Parses the next statement. After a mistake, skips to the following statement.
  void statement_of(std::vector<Stmt>& statements) {
    const std::size_t start = mark();
    try {
      if (at_type())
        declarations(statements);
      else
        statements.push_back(statement());
    } catch (const MistakeReported&) {
      if (at_procedure() || diagnostics_.full()) throw;
      skip_statement(start);
      if (at_procedure()) throw;  // the missing '}' is a consequence of the mistake
    }
  }

  /// Parses a block or a single statement.
  std::vector<Stmt> body() {
    if (at(Tok::left_brace)) return block();
    std::vector<Stmt> one;
    if (at_type())
      declarations(one);
    else
      one.push_back(statement());
    return one;
  }

  Stmt statement() {
    const Level level(*this);
    Stmt result;
    result.at = peek().at;
    switch (peek().kind) {
      case Tok::left_brace:
        result.body = block();
        return result;
      case Tok::semicolon:
        take();
        return result;  // empty statement
      case Tok::foreach:
      case Tok::for_loop:
        return loop(std::move(result));
      case Tok::in_bfs:
      case Tok::in_dfs:
        return traversal(std::move(result));
      case Tok::if_:
        return if_statement(std::move(result));
      case Tok::while_:
        take();
        result.kind = StmtKind::while_;
        result.condition.push_back(parenthesised("before the condition"));
        result.body = body();
        return result;
      case Tok::do_:
        take();
        result.kind = StmtKind::do_while;
        result.body = body();
        expect(Tok::while_, "after the body of Do");
        result.condition.push_back(parenthesised("before the condition"));
        end_statement("after Do … While (…)");
        return result;
      case Tok::return_:
        take();
        result.kind = StmtKind::return_;
        if (!at(Tok::semicolon)) result.values.push_back(expression());
        end_statement("after Return");
        return result;
      case Tok::less:
        return best(std::move(result));
      case Tok::foreign:
        return foreign_statement(std::move(result));
      case Tok::else_:
      case Tok::in_reverse:
      case Tok::in_post:
        fail_at(result.at, fmt::format("there is nothing that this {} belongs to", peek().text),
                fmt::format("it follows {}", at(Tok::else_)        ? "the body of an If"
                                             : at(Tok::in_reverse) ? "the body of an InBFS"
                                                                   : "the body of an InDFS"));
      case Tok::identifier:
        check_first_word();
        return assignment_or_call(std::move(result));
      case Tok::edge:
        return assignment_or_call(std::move(result));
      default:
        fail_expected("a statement");
    }
  }

  /// Reports a name where only a keyword or a type can stand.
  void check_first_word() {
    const Tok next = peek(1).kind;
    const Tok meant = keyword_in_other_letters(peek().text);
    const bool header = meant == Tok::foreach || meant == Tok::for_loop || meant == Tok::if_ ||
                        meant == Tok::while_ || meant == Tok::in_bfs || meant == Tok::in_dfs;
    if (next != Tok::identifier && next != Tok::left_brace && !(header && next == Tok::left_paren))
      return;
    if (next == Tok::identifier && (peek(1).text == "min" || peek(1).text == "max") &&
        peek(2).kind == Tok::assign)
      return;  // the assignment x min= y
    if (meant != Tok::identifier)
      fail_at(peek().at, fmt::format("'{}' is no keyword", peek().text),
              fmt::format("write {}", spelling(meant)));
    if (next == Tok::identifier)
      fail_at(peek().at, fmt::format("there is no type '{}'", peek().text),
              "the types are Int, Long, Float, Double, Bool, Node, Edge, Graph, Node_Prop, "
              "Edge_Prop, Node_Set, Node_Order, Node_Seq, Collection and Map");
  }

  /// Parses "type a, b = value, c"; a value belongs to the name before it.
  void declarations(std::vector<Stmt>& statements) {
    const Level level(*this);
    const Position position = peek().at;
    const ast::TypeName written = type("to declare");
    do {
      Stmt result;
      result.kind = StmtKind::declare;
      result.at = position;
      result.type = written;
      do {
        result.names.push_back(expect_name("for a variable"));
      } while (!at(Tok::assign) && accept(Tok::comma));
      if (accept(Tok::assign)) {
        if (result.names.size() > 1) {
          Stmt before = result;
          before.names.pop_back();
          statements.push_back(std::move(before));
          result.names = {result.names.back()};
        }
        result.values.push_back(expression());
      }
      statements.push_back(std::move(result));
    } while (accept(Tok::comma));
    end_statement("after a declaration");
  }

  Stmt loop(Stmt result) {
    result.kind = StmtKind::loop;
    result.parallel = take().kind == Tok::foreach;
    expect(Tok::left_paren, "before an iterator");
    result.header.push_back(header());
    expect(Tok::right_paren, "after what to run over");
    if (at(Tok::left_paren)) result.condition.push_back(parenthesised(""));
    result.body = body();
    return result;
  }

  /// Parses InBFS (it : G.Nodes From root)[navigator](filter) { } InReverse(filter) { }.
  Stmt traversal(Stmt result) {
    result.kind = StmtKind::traversal;
    result.breadth_first = take().kind == Tok::in_bfs;
    expect(Tok::left_paren, "before an iterator");
    result.header.push_back(header());
    if (!accept(Tok::from)) expect(Tok::semicolon, "or From before the root");
    result.root.push_back(expression());
    expect(Tok::right_paren, "after the root");
    while (at(Tok::left_bracket) || at(Tok::left_paren)) {
      const bool navigates = at(Tok::left_bracket);
      std::vector<Expr>& condition = navigates ? result.navigator : result.condition;
      if (!condition.empty()) fail_expected(navigates ? "one navigator only" : "one filter only");
      if (navigates) {
        take();
        condition.push_back(expression());
        expect(Tok::right_bracket, "after the navigator");
      } else {
        condition.push_back(parenthesised(""));
      }
    }
    result.body = body();
    const Tok back = result.breadth_first ? Tok::in_reverse : Tok::in_post;
    if (at(result.breadth_first ? Tok::in_post : Tok::in_reverse))
      fail_at(
          peek().at,
          fmt::format("{} can't follow {}", peek().text, result.breadth_first ? "InBFS" : "InDFS"),
          fmt::format("write {}", spelling(back)));
    if (!accept(back)) return result;
    result.has_otherwise = true;
    if (at(Tok::left_paren)) result.other_condition.push_back(parenthesised(""));
    result.otherwise = body();
    return result;
  }

  Stmt if_statement(Stmt result) {
    take();
    result.kind = StmtKind::if_;
    result.condition.push_back(parenthesised("before the condition"));
    result.body = body();
    if (accept(Tok::else_)) result.otherwise = body();
    return result;
  }

  /// Parses <a; b, c> min= <x; y, z>.
  Stmt best(Stmt result) {
    result.kind = StmtKind::assign;
    const auto list = [&](std::vector<Expr>& exprs, std::string_view where, auto&& one) {
      expect(Tok::less, where);
      do {
        exprs.push_back(one());
      } while (accept(Tok::semicolon) || accept(Tok::comma));
      expect(Tok::greater, "to close this '<'");
    };
    list(result.targets, "before several targets", [&] { return place(); });
    assignment_operator(result);
    list(result.values, "before their values", [&] { return expression(); });
    if (result.targets.size() > 1 && result.targets.size() != result.values.size())
      fail_at(result.at,
              fmt::format("there are {} targets and {} value{}", result.targets.size(),
                          result.values.size(), result.values.size() == 1 ? "" : "s"),
              "give each target one");
    if (result.targets.size() == 1)
      fail_at(result.at, "there is one target only", "write it without < and >");
    bound_and_end(result);
    return result;
  }

  Stmt foreign_statement(Stmt result) {
    result.kind = StmtKind::foreign;
    result.values.push_back(foreign());
    if (accept(Tok::double_colon)) {
      expect(Tok::left_bracket, "before what the text changes");
      while (!at(Tok::right_bracket)) {
        result.changes.push_back(place());
        if (!at(Tok::right_bracket)) expect(Tok::comma, "between what the text changes");
      }
      take();
    }
    accept(Tok::semicolon);
    return result;
  }

  Stmt assignment_or_call(Stmt result) {
    Expr first = place();
    if (at(Tok::semicolon) && (first.kind == ExprKind::call || first.kind == ExprKind::method)) {
      take();
      result.kind = StmtKind::call;
      result.values.push_back(std::move(first));
      return result;
    }
    result.kind = StmtKind::assign;
    result.targets.push_back(std::move(first));
    if (at(Tok::plus_plus) || at(Tok::minus_minus)) {
      one_more_or_less(result);
    } else {
      assignment_operator(result);
      result.values.push_back(expression());
    }
    bound_and_end(result);
    return result;
  }

  /// x++ is x += 1, and x-- is x += -1.
  void one_more_or_less(Stmt& result) {
    Expr one;
    one.kind = ExprKind::integer;
    one.at = peek().at;
    one.name = {"1", one.at};
    if (take().kind == Tok::minus_minus) {
      Expr minus;
      minus.kind = ExprKind::unary;
      minus.at = one.at;
      minus.args.push_back(std::move(one));
      minus.height = 2;
      one = std::move(minus);
    }
    result.op = AssignOp::sum;
    result.values.push_back(std::move(one));
  }

  void bound_and_end(Stmt& result) {
    if (accept(Tok::at)) result.bound = expect_name("of an iterator after '@'");
    end_statement("after an assignment");
  }

  void assignment_operator(Stmt& result) {
    if (at(Tok::identifier) && peek(1).kind == Tok::assign &&
        (peek().text == "min" || peek().text == "max")) {
      result.op = take().text == "min" ? AssignOp::min : AssignOp::max;
      take();
      return;
    }
    switch (peek().kind) {
      case Tok::assign:
        break;
      case Tok::less_equal:
        result.deferred = true;
        break;
      case Tok::plus_assign:
        result.op = AssignOp::sum;
        break;
      case Tok::times_assign:
        result.op = AssignOp::product;
        break;
      case Tok::and_assign:
        result.op = AssignOp::all;
        break;
      case Tok::or_assign:
        result.op = AssignOp::any;
        break;
      default:
        if ((at(Tok::minus) || at(Tok::slash) || at(Tok::percent)) && peek(1).kind == Tok::assign)
          fail_at(peek().at, fmt::format("there is no {}=", peek().text),
                  at(Tok::minus) ? "write x += -y" : fmt::format("write x = x {} y", peek().text));
        fail_expected("an assignment: = += *= ++ -- min= max= &= |= or <=");
    }
    take();
  }
};

}  // namespace

ast::Module parse(Diagnostics& diagnostics) {
  if (diagnostics.source().text.size() > kMaxBytes) {
    diagnostics.error({}, "this is longer than 4 MiB", "name a Green-Marl program");
    return {};
  }
  return Parser(diagnostics).file();
}

}  // namespace Atoll::greenmarl
