// Prints the syntax tree as text that parses to an equal tree.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "greenmarl/ast.hpp"

namespace Atoll::greenmarl::ast {
namespace {

template <class Items, class Text>
std::string joined(const Items& items, Text&& text, std::string_view separator = ", ") {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const auto& item : items) texts.push_back(text(item));
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string printed(const std::vector<Expr>& exprs, std::string_view separator = ", ") {
  return joined(
      exprs, [](const Expr& expr) { return print(expr); }, separator);
}

/// Prints the operand of .name or [key], in parentheses where the text would otherwise parse
/// differently.
std::string object(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::name:
    case ExprKind::field:
    case ExprKind::call:
    case ExprKind::method:
    case ExprKind::index:
    case ExprKind::edge_of:
      return print(expr);
    default:
      return fmt::format("({})", print(expr));
  }
}

std::string text_of(const Header& header) {
  std::string text = fmt::format("{}: {}{}{}.{}", header.iterator.text, print(header.source),
                                 header.transposed ? "^" : "", header.backwards ? "-" : "",
                                 to_string(header.range));
  if (header.range == Range::common_nbrs) text += fmt::format("({})", printed(header.args));
  return text;
}

std::string in_parentheses(const std::vector<Expr>& condition) {
  return condition.empty() ? "" : fmt::format("({})", print(condition[0]));
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
      // `||` would be parsed as a logical or.
      return operand.starts_with('|') ? fmt::format("|({})|", operand)
                                      : fmt::format("|{}|", operand);
  }
  throw InternalError("unary");
}

std::string reduction_text(const Expr& expr) {
  std::string text = fmt::format("{}({})", to_string(expr.reduction), text_of(expr.header[0]));
  text += in_parentheses(expr.filter);
  if (!expr.args.empty()) text += fmt::format("{{{}}}", print(expr.args[0]));
  return text;
}

std::string foreign_text(const Expr& expr) {
  std::string text = "[" + expr.texts[0];
  for (std::size_t i = 0; i < expr.args.size(); ++i)
    text += "$" + print(expr.args[i]) + expr.texts[i + 1];
  return text + "]";
}

std::string text_of(const std::vector<Parameter>& parameters) {
  return joined(parameters, [](const Parameter& parameter) {
    return fmt::format("{}: {}", parameter.name.text, print(parameter.type));
  });
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
  /// Writes the beginning of a line that a block continues.
  void opening(std::string_view content) {
    text.append(indent_, ' ').append(content).append(content.empty() ? "" : " ");
  }

  void print_statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::block:
        opening("");
        return block(stmt.body);
      case StmtKind::declare:
        return line(fmt::format("{} {}{};", print(stmt.type),
                                joined(stmt.names, [](const Name& name) { return name.text; }),
                                stmt.values.empty() ? "" : " = " + print(stmt.values[0])));
      case StmtKind::assign:
        return line(assignment(stmt));
      case StmtKind::loop:
        opening(fmt::format("{} ({}){}", stmt.parallel ? "Foreach" : "For", text_of(stmt.header[0]),
                            in_parentheses(stmt.condition)));
        return block(stmt.body);
      case StmtKind::traversal:
        return traversal(stmt);
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
        return line(stmt.values.empty() ? "Return;"
                                        : fmt::format("Return {};", print(stmt.values[0])));
      case StmtKind::call:
        return line(print(stmt.values[0]) + ";");
      case StmtKind::foreign:
        return line(fmt::format(
            "{}{};", print(stmt.values[0]),
            stmt.changes.empty() ? "" : fmt::format(" :: [{}]", printed(stmt.changes))));
    }
  }

  static std::string assignment(const Stmt& stmt) {
    const std::string_view op = stmt.deferred ? "<=" : to_string(stmt.op);
    const std::string bound = stmt.bound.text.empty() ? "" : " @ " + stmt.bound.text;
    if (stmt.targets.size() > 1)
      return fmt::format("<{}> {} <{}>{};", printed(stmt.targets, "; "), op,
                         printed(stmt.values, "; "), bound);
    return fmt::format("{} {} {}{};", print(stmt.targets[0]), op, print(stmt.values[0]), bound);
  }

  void traversal(const Stmt& stmt) {
    opening(fmt::format("{} ({} From {}){}{}", stmt.breadth_first ? "InBFS" : "InDFS",
                        text_of(stmt.header[0]), print(stmt.root[0]),
                        stmt.navigator.empty() ? "" : fmt::format("[{}]", print(stmt.navigator[0])),
                        in_parentheses(stmt.condition)));
    block(stmt.body);
    if (!stmt.has_otherwise) return;
    opening(fmt::format("{} {}", stmt.breadth_first ? "InReverse" : "InPost",
                        in_parentheses(stmt.other_condition)));
    block(stmt.otherwise);
  }

  std::size_t indent_ = 0;
};

}  // namespace

std::string print(const TypeName& type) {
  const auto parts = [&] {
    return joined(type.of, [](const TypeName& part) { return print(part); });
  };
  switch (type.kind) {
    case TypeName::Kind::value:
      return std::string(to_string(type.value)) + of_graph(type.graph);
    case TypeName::Kind::graph:
      return "Graph";
    case TypeName::Kind::node_prop:
      return fmt::format("Node_Prop<{}>{}", parts(), of_graph(type.graph));
    case TypeName::Kind::edge_prop:
      return fmt::format("Edge_Prop<{}>{}", parts(), of_graph(type.graph));
    case TypeName::Kind::node_set:
      return "Node_Set" + of_graph(type.graph);
    case TypeName::Kind::node_order:
      return "Node_Order" + of_graph(type.graph);
    case TypeName::Kind::node_seq:
      return "Node_Seq" + of_graph(type.graph);
    case TypeName::Kind::collection:
      return fmt::format("Collection<{}>{}", parts(), of_graph(type.graph));
    case TypeName::Kind::map:
      return fmt::format("Map<{}>", parts());
  }
  throw InternalError("type");
}

std::string print(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::boolean:
    case ExprKind::name:
      return expr.name.text;
    case ExprKind::infinity:
      return "INF";
    case ExprKind::nil:
      return "NIL";
    case ExprKind::field:
      return fmt::format("{}.{}", object(expr.args[0]), expr.name.text);
    case ExprKind::call:
      return fmt::format("{}({})", expr.name.text, printed(expr.args));
    case ExprKind::method:
      return fmt::format("{}.{}({})", object(expr.args[0]), expr.name.text,
                         printed({expr.args.begin() + 1, expr.args.end()}));
    case ExprKind::index:
      return fmt::format("{}[{}]", object(expr.args[0]), print(expr.args[1]));
    case ExprKind::edge_of:
      return fmt::format("Edge({})", print(expr.args[0]));
    case ExprKind::unary:
      return unary_text(expr);
    case ExprKind::binary:
      return fmt::format("({} {} {})", print(expr.args[0]), to_string(expr.binary),
                         print(expr.args[1]));
    case ExprKind::conditional:
      return fmt::format("({} ? {} : {})", print(expr.args[0]), print(expr.args[1]),
                         print(expr.args[2]));
    case ExprKind::cast:
      return fmt::format("(({}) {})", print(expr.type), print(expr.args[0]));
    case ExprKind::reduction:
      return reduction_text(expr);
    case ExprKind::foreign:
      return foreign_text(expr);
  }
  throw InternalError("expression");
}

std::string print(const Procedure& procedure) {
  Printer printer;
  printer.text =
      fmt::format("{}Procedure {}({}; {}){} ", procedure.local ? "Local " : "", procedure.name.text,
                  text_of(procedure.inputs), text_of(procedure.outputs),
                  procedure.returns ? fmt::format(" : {}", print(*procedure.returns)) : "");
  printer.block(procedure.body);
  return printer.text;
}

std::string print(const Module& module) {
  return joined(
      module.procedures, [](const Procedure& procedure) { return print(procedure); }, "\n");
}

}  // namespace Atoll::greenmarl::ast
