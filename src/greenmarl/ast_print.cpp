// Prints the syntax tree as text that parses to an equal tree.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "greenmarl/ast.hpp"

namespace Atoll::greenmarl::ast {
namespace {

std::string text_of(const Header& header) {
  return fmt::format("({}: {}.{})", header.iterator.text, header.source.text,
                     to_string(header.range));
}

std::string text_of(const std::vector<Name>& names) {
  std::vector<std::string_view> texts;
  texts.reserve(names.size());
  for (const Name& name : names) texts.push_back(name.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string of_graph(const Name& graph) {
  return graph.text.empty() ? "" : fmt::format("({})", graph.text);
}

std::string unary_text(const Expr& expr) {
  const std::string operand = print(expr.args[0]);
  switch (expr.unary) {
    case UnaryOp::negate:
      return fmt::format("(-{})", operand);
    case UnaryOp::logical_not:
      return fmt::format("(!{})", operand);
    case UnaryOp::absolute:
      return fmt::format("|{}|", operand);
  }
  throw InternalError("unary");
}

std::string reduction_text(const Expr& expr) {
  std::string text = fmt::format("{}{}", to_string(expr.reduction), text_of(expr.header));
  if (!expr.filter.empty()) text += fmt::format("({})", print(expr.filter[0]));
  if (!expr.args.empty()) text += fmt::format("{{{}}}", print(expr.args[0]));
  return text;
}

std::string text_of(const Parameter& parameter) {
  const std::string_view name = parameter.name.text;
  switch (parameter.kind) {
    case Parameter::Kind::graph:
      return fmt::format("{}: Graph", name);
    case Parameter::Kind::scalar:
      return fmt::format("{}: {}", name, to_string(parameter.type));
    case Parameter::Kind::property:
      return fmt::format("{}: Node_Prop<{}>{}", name, to_string(parameter.type),
                         of_graph(parameter.graph));
  }
  throw InternalError("parameter");
}

std::string text_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> texts;
  texts.reserve(parameters.size());
  for (const Parameter& parameter : parameters) texts.push_back(text_of(parameter));
  return fmt::format("{}", fmt::join(texts, ", "));
}

class Printer {
 public:
  void block(const std::vector<Stmt>& statements) {
    text += "{\n";
    indent_ += 2;
    for (const Stmt& statement : statements) print_statement(statement);
    indent_ -= 2;
    line("}");
  }

  std::string text;

 private:
  void line(std::string_view content) { text.append(indent_, ' ').append(content).append("\n"); }
  /// Writes a line that a block follows.
  void opening(std::string_view content) {
    text.append(indent_, ' ').append(content).append(content.empty() ? "" : " ");
  }

  void print_statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::block:
        opening("");
        return block(stmt.body);
      case StmtKind::declare: {
        const std::string value = stmt.value.empty() ? "" : " = " + print(stmt.value[0]);
        return line(fmt::format("{}{} {}{};", to_string(stmt.type), of_graph(stmt.graph),
                                text_of(stmt.names), value));
      }
      case StmtKind::declare_property:
        return line(fmt::format("Node_Prop<{}>{} {};", to_string(stmt.type), of_graph(stmt.graph),
                                text_of(stmt.names)));
      case StmtKind::assign:
        return line(fmt::format("{}{}{} {} {}{};", stmt.target.text,
                                stmt.member.text.empty() ? "" : ".", stmt.member.text,
                                stmt.deferred ? "<=" : to_string(stmt.op), print(stmt.value[0]),
                                stmt.bound.text.empty() ? "" : " @ " + stmt.bound.text));
      case StmtKind::loop:
        opening((stmt.parallel ? "Foreach " : "For ") + text_of(stmt.header) +
                (stmt.condition.empty() ? "" : fmt::format("({})", print(stmt.condition[0]))));
        return block(stmt.body);
      case StmtKind::if_:
        opening(fmt::format("If ({})", print(stmt.condition[0])));
        block(stmt.body);
        if (stmt.otherwise.empty()) return;
        opening("Else");
        return block(stmt.otherwise);
      case StmtKind::while_:
        opening(fmt::format("While ({})", print(stmt.condition[0])));
        return block(stmt.body);
      case StmtKind::do_while:
        opening("Do");
        block(stmt.body);
        return line(fmt::format("While ({});", print(stmt.condition[0])));
      case StmtKind::return_:
        return line(stmt.value.empty() ? "Return;"
                                       : fmt::format("Return {};", print(stmt.value[0])));
    }
  }

  std::size_t indent_ = 0;
};

}  // namespace

std::string print(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::boolean:
    case ExprKind::name:
      return expr.name.text;
    case ExprKind::infinity:
      return "INF";
    case ExprKind::field:
      return fmt::format("{}.{}", expr.name.text, expr.member.text);
    case ExprKind::call: {
      std::vector<std::string> arguments;
      arguments.reserve(expr.args.size());
      for (const Expr& argument : expr.args) arguments.push_back(print(argument));
      return fmt::format("{}.{}({})", expr.name.text, expr.member.text, fmt::join(arguments, ", "));
    }
    case ExprKind::unary:
      return unary_text(expr);
    case ExprKind::binary:
      return fmt::format("({} {} {})", print(expr.args[0]), to_string(expr.binary),
                         print(expr.args[1]));
    case ExprKind::conditional:
      return fmt::format("({} ? {} : {})", print(expr.args[0]), print(expr.args[1]),
                         print(expr.args[2]));
    case ExprKind::cast:
      return fmt::format("(({}) {})", to_string(expr.type), print(expr.args[0]));
    case ExprKind::reduction:
      return reduction_text(expr);
  }
  throw InternalError("expression");
}

std::string print(const Procedure& procedure) {
  Printer printer;
  printer.text =
      fmt::format("Procedure {}({}; {}){} ", procedure.name.text, text_of(procedure.inputs),
                  text_of(procedure.outputs),
                  procedure.returns ? fmt::format(" : {}", to_string(*procedure.returns)) : "");
  printer.block(procedure.body);
  return printer.text;
}

}  // namespace Atoll::greenmarl::ast
