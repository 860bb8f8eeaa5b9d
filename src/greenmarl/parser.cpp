// The half of the parser that reads procedures and statements.
#include "greenmarl/parser.hpp"

#include <fmt/format.h>

#include "greenmarl/expression_parser.hpp"

namespace Atoll::greenmarl {
namespace {

using ast::Name;
using ast::Parameter;
using ast::Stmt;
using ast::StmtKind;

class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  ast::Procedure file() {
    if (at(Tok::local)) unsupported(peek(), "a Local procedure");
    ast::Procedure procedure = this->procedure();
    if (at(Tok::procedure) || at(Tok::local)) unsupported(peek(), "a second procedure in a file");
    if (!at(Tok::end)) fail_expected("the end of the program after the procedure");
    return procedure;
  }

 private:
  ast::Procedure procedure() {
    ast::Procedure result;
    expect(Tok::procedure, "at the start of a program");
    result.name = expect_name("for the procedure");
    expect(Tok::left_paren, "before the parameters");
    if (!at(Tok::semicolon) && !at(Tok::right_paren)) result.inputs = parameters();
    if (accept(Tok::semicolon) && !at(Tok::right_paren)) result.outputs = parameters();
    expect(Tok::right_paren, "after the parameters");
    if (accept(Tok::colon)) result.returns = value_type("to return");
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
      Parameter typed = parameter_type();
      for (std::size_t i = first; i < all.size(); ++i) {
        typed.name = std::move(all[i].name);
        all[i] = typed;
      }
    } while (accept(Tok::comma));
    return all;
  }

  Parameter parameter_type() {
    Parameter parameter;
    if (accept(Tok::graph)) {
      parameter.kind = Parameter::Kind::graph;
    } else if (at(Tok::node_prop)) {
      parameter.kind = Parameter::Kind::property;
      parameter.type = property_type(parameter.graph);
    } else {
      parameter.type = value_type("of a parameter (or Graph, or Node_Prop<…>)");
      if (parameter.type == Type::node) graph_of_type();
    }
    return parameter;
  }

  /// Parses Node_Prop < type > [ ( graph ) ].
  Type property_type(Name& graph) {
    take();
    expect(Tok::less, "after Node_Prop");
    const Token element = peek();
    const Type type = value_type("of a property");
    if (type == Type::node) unsupported(element, "a property of type Node");
    expect(Tok::greater, "after the property's type");
    graph = graph_of_type();
    return type;
  }

  /// Parses [ ( graph ) ].
  Name graph_of_type() {
    if (!accept(Tok::left_paren)) return {};
    Name graph = expect_name("of the graph");
    expect(Tok::right_paren, "after the graph");
    return graph;
  }

  std::vector<Stmt> block() {
    take();
    std::vector<Stmt> statements;
    while (!at(Tok::right_brace)) {
      if (at(Tok::end)) fail_expected("'}' at the end of a block");
      statements.push_back(statement());
    }
    take();
    return statements;
  }

  /// Returns a block's statements, or the single one.
  std::vector<Stmt> body() {
    if (at(Tok::left_brace)) return block();
    std::vector<Stmt> one;
    one.push_back(statement());
    return one;
  }

  Stmt statement() {
    const Level level(*this);
    Stmt result;
    result.at = peek().at;
    const Token token = peek();
    if (at_value_type()) return declaration(std::move(result));
    if (at_collection_type()) unsupported(token, token.text);
    switch (token.kind) {
      case Tok::left_brace:
        result.body = block();
        return result;
      case Tok::semicolon:
        take();
        return result;  // the block is empty
      case Tok::node_prop:
        return property_declaration(std::move(result));
      case Tok::foreach:
      case Tok::for_loop:
        return loop(std::move(result));
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
        expect(Tok::semicolon, "after Do … While (…)");
        return result;
      case Tok::return_:
        take();
        result.kind = StmtKind::return_;
        if (!at(Tok::semicolon)) result.value.push_back(expression());
        expect(Tok::semicolon, "after Return");
        return result;
      case Tok::identifier:
        return assignment(std::move(result));
      case Tok::in_bfs:
      case Tok::in_dfs:
        unsupported(token, token.text);
      case Tok::less:
        unsupported(token, "assigning several targets at once, <a; b> min= <x; y>,");
      case Tok::left_bracket:
        unsupported(token, "a block of foreign code [ … ]");
      default:
        fail_expected("a statement");
    }
  }

  Stmt declaration(Stmt result) {
    result.kind = StmtKind::declare;
    result.type = value_type("to declare");
    if (result.type == Type::node) result.graph = graph_of_type();
    do {
      result.names.push_back(expect_name("for a variable"));
    } while (accept(Tok::comma));
    if (at(Tok::assign)) {
      if (result.names.size() > 1)
        fail_at(peek().at, "an initial value for several variables", "declare them one by one");
      take();
      result.value.push_back(expression());
    }
    expect(Tok::semicolon, "after a declaration");
    return result;
  }

  Stmt property_declaration(Stmt result) {
    result.kind = StmtKind::declare_property;
    result.type = property_type(result.graph);
    do {
      result.names.push_back(expect_name("for a property"));
    } while (accept(Tok::comma));
    if (at(Tok::assign)) unsupported(peek(), "an initial value of a property", "assign G.name = …");
    expect(Tok::semicolon, "after a declaration");
    return result;
  }

  Stmt loop(Stmt result) {
    result.kind = StmtKind::loop;
    result.parallel = take().kind == Tok::foreach;
    result.header = header();
    if (at(Tok::left_paren)) result.condition.push_back(parenthesised(""));
    result.body = body();
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

  Stmt assignment(Stmt result) {
    result.kind = StmtKind::assign;
    const Token first = take();
    result.target = {std::string(first.text), first.at};
    if (at(Tok::left_paren)) unsupported(first, fmt::format("calling '{}'", first.text));
    if (at(Tok::left_bracket)) unsupported(first, "assigning to a Map");
    if (accept(Tok::dot)) {
      result.member = expect_name("of a property after '.'");
      if (at(Tok::left_paren))
        unsupported(first, fmt::format("calling '{}.{}'", first.text, result.member.text));
    }
    if (at(Tok::plus_plus) || at(Tok::minus_minus)) {
      ast::Expr one;
      one.kind = ast::ExprKind::integer;
      one.at = peek().at;
      one.name = {"1", one.at};
      if (take().kind == Tok::minus_minus) {
        ast::Expr minus;
        minus.kind = ast::ExprKind::unary;
        minus.at = one.at;
        minus.args.push_back(std::move(one));
        minus.height = 2;
        one = std::move(minus);
      }
      result.op = AssignOp::sum;
      result.value.push_back(std::move(one));
    } else {
      assignment_operator(result);
      result.value.push_back(expression());
    }
    if (accept(Tok::at)) result.bound = expect_name("of an iterator after '@'");
    expect(Tok::semicolon, "after an assignment");
    return result;
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
        fail_expected("an assignment: = += *= ++ -- min= max= &= |= or <=");
    }
    take();
  }
};

}  // namespace

ast::Procedure parse(const Source& source) {
  return Parser(source).file();
}

}  // namespace Atoll::greenmarl
