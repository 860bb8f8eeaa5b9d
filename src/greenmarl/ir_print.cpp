// Prints the intermediate representation as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl::ir {
namespace {

class Printer {
 public:
  explicit Printer(const Procedure& procedure) : procedure_(procedure) {}

  void block(const std::vector<Stmt>& statements) {
    indent_ += 2;
    for (const Stmt& statement : statements) print_statement(statement);
    indent_ -= 2;
  }

  std::string text;

 private:
  [[nodiscard]] const std::string& name(SymbolId id) const { return procedure_[id].name; }
  [[nodiscard]] std::string value(const Stmt& stmt) const {
    return stmt.exprs.empty() ? "" : print(procedure_, stmt.exprs[0]);
  }
  void line(std::string_view content) { text.append(indent_, ' ').append(content).append("\n"); }

  [[nodiscard]] std::string loop_header(const Stmt& stmt) const {
    return fmt::format("{} {} in {}{}",
                       stmt.parallel    ? "parallel"
                       : stmt.unordered ? "foreach"
                                        : "for",
                       name(stmt.symbol), to_string(stmt.range),
                       stmt.range == Range::nodes ? "" : fmt::format("({})", name(stmt.node)));
  }

  void print_statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::declare:
        return line(fmt::format("{} {} = {}", to_string(procedure_[stmt.symbol].type),
                                name(stmt.symbol), stmt.exprs.empty() ? "0" : value(stmt)));
      case StmtKind::map_write:
        return line(fmt::format("{}[{}] {} {}", name(stmt.symbol), value(stmt), to_string(stmt.op),
                                print(procedure_, stmt.exprs[1])));
      case StmtKind::take:
        return line(
            fmt::format("{} = {}", print(procedure_, stmt.group[0]),
                        stmt.exprs.empty() ? print(procedure_, stmt.group[1]) : value(stmt)));
      case StmtKind::best: {
        std::vector<std::string> targets, values;
        for (const Place& place : stmt.group) targets.push_back(print(procedure_, place));
        for (const Expr& expr : stmt.exprs) values.push_back(print(procedure_, expr));
        return line(fmt::format("<{}> {} <{}>", fmt::join(targets, "; "), to_string(stmt.op),
                                fmt::join(values, "; ")));
      }
      case StmtKind::call:
      case StmtKind::foreign:
        return line(value(stmt));
      case StmtKind::traversal:
        line(fmt::format("{} {} from {}{}", stmt.breadth_first ? "bfs" : "dfs", name(stmt.symbol),
                         value(stmt), stmt.transposed ? ", transposed" : ""));
        if (stmt.exprs.size() > 1) {
          block(stmt.condition);
          line("enter " + name(stmt.other) + " if " + print(procedure_, stmt.exprs[1]));
        }
        block(stmt.body);
        if (stmt.otherwise.empty()) return;
        line(stmt.breadth_first ? "reverse" : "post");
        return block(stmt.otherwise);
      case StmtKind::region:
        line("region " + name(stmt.symbol));
        return block(stmt.body);
      case StmtKind::leave:
        return line("leave " + name(stmt.symbol));
      case StmtKind::assign:
        return line(fmt::format("{} {} {}", name(stmt.symbol), to_string(stmt.op), value(stmt)));
      case StmtKind::write:
        return line(fmt::format(
            "{}[{}] {} {}{}", name(stmt.symbol), name(stmt.node), to_string(stmt.op), value(stmt),
            stmt.bound == kNoSymbol ? "" : fmt::format(" after {}", name(stmt.bound))));
      case StmtKind::loop:
        line(loop_header(stmt));
        return block(stmt.body);
      case StmtKind::if_:
        line("if " + value(stmt));
        block(stmt.body);
        if (stmt.otherwise.empty()) return;
        line("else");
        return block(stmt.otherwise);
      case StmtKind::while_:
      case StmtKind::do_while:
        line(fmt::format("{} {} ({})", stmt.kind == StmtKind::while_ ? "while" : "do while",
                         value(stmt), stmt.trip));
        block(stmt.body);
        if (stmt.condition.empty()) return;
        line("condition");
        return block(stmt.condition);
      case StmtKind::return_:
        return line("return " + value(stmt));
      case StmtKind::fill:
        return line(fmt::format("fill {} = {}", name(stmt.symbol), value(stmt)));
      case StmtKind::copy:
        return line(fmt::format("copy {} = {}", name(stmt.symbol), name(stmt.other)));
      case StmtKind::swap:
        return line(fmt::format("swap {}, {}", name(stmt.symbol), name(stmt.other)));
    }
  }

  const Procedure& procedure_;
  std::size_t indent_ = 0;
};

std::string literal_text(const Expr& expr) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, expr.literal);
}

}  // namespace

std::string print(const Procedure& procedure, const Place& place) {
  if (place.node == kNoSymbol) return procedure[place.symbol].name;
  if (place.symbol == kNoSymbol) return procedure[place.node].name;
  return fmt::format("{}[{}]", procedure[place.symbol].name, procedure[place.node].name);
}

std::string print(const Procedure& procedure, const Expr& expr) {
  const auto name = [&](SymbolId id) { return procedure[id].name; };
  const auto arg = [&](std::size_t i) { return print(procedure, expr.args[i]); };
  switch (expr.kind) {
    case ExprKind::literal:
      return literal_text(expr);
    case ExprKind::infinity:
      return expr.negative ? "-INF" : "INF";
    case ExprKind::scalar:
    case ExprKind::node:
      return name(expr.symbol);
    case ExprKind::property:
      return fmt::format("{}[{}]", name(expr.symbol), name(expr.node));
    case ExprKind::nil:
      return "NIL";
    case ExprKind::edge_of:
      return fmt::format("edge_of({})", name(expr.node));
    case ExprKind::collection:
      return print(procedure, Place{expr.symbol, expr.node});
    case ExprKind::builtin: {
      const BuiltinRow& row = row_of(expr.builtin, expr.receiver);
      std::string text = expr.receiver == Receiver::nothing || expr.receiver == Receiver::graph
                             ? ""
                             : print(procedure, Place{expr.symbol, expr.node}) + ".";
      text += row.names.substr(0, row.names.find(' '));
      std::vector<std::string> args;
      for (std::size_t i = 0; i < expr.args.size(); ++i) args.push_back(arg(i));
      return fmt::format("{}({})", text, fmt::join(args, ", "));
    }
    case ExprKind::foreign: {
      std::string text = "[" + expr.texts[0];
      for (std::size_t i = 0; i < expr.args.size(); ++i) text += "$" + arg(i) + expr.texts[i + 1];
      return text + "]";
    }
    case ExprKind::unary:
      return expr.unary == UnaryOp::absolute      ? fmt::format("|{}|", arg(0))
             : expr.unary == UnaryOp::logical_not ? fmt::format("!{}", arg(0))
                                                  : fmt::format("-{}", arg(0));
    case ExprKind::binary:
      return fmt::format("({} {} {})", arg(0), to_string(expr.binary), arg(1));
    case ExprKind::conditional:
      return fmt::format("({} ? {} : {})", arg(0), arg(1), arg(2));
    case ExprKind::convert:
      return fmt::format("{}({})", to_string(expr.type), arg(0));
  }
  throw InternalError("expression");
}

std::string print(const Procedure& procedure) {
  Printer printer(procedure);
  printer.text = procedure.name + "\n";
  printer.block(procedure.body);
  return printer.text;
}

}  // namespace Atoll::greenmarl::ir
