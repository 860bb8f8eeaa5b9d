// Statements. Outside of loops over nodes an element is reached through its Array; a loop takes raw
// pointers at its start. Arrays that a loop writes are read there through the same pointer, and
// brought to their other copies afterwards, so that every layout gives the same answer.
#include "greenmarl/emit_function.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "greenmarl/emit_expression.hpp"
#include "greenmarl/emit_names.hpp"
#include "greenmarl/loop_needs.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

class FunctionEmitter {
 public:
  explicit FunctionEmitter(const ir::Procedure& procedure)
      : procedure_(procedure), effects_(ir::effects_of(procedure.body)) {}

  std::string run(const std::string& name) {
    line("template <class Node, class Edge>");
    open(fmt::format("void {}(Atoll::program::Run<Node, Edge>& run) {{", name));
    prologue();
    for (std::size_t i = 0; i < procedure_.body.size(); ++i) {
      at_end_ = i + 1 == procedure_.body.size();
      statement(procedure_.body[i]);
    }
    if (procedure_.body.empty() || procedure_.body.back().kind != StmtKind::return_) report_trips();
    close("}");
    return std::move(text_);
  }

 private:
  // Text.
  void line(std::string_view content) { text_.append(indent_, ' ').append(content).append("\n"); }
  void open(std::string_view content) {
    line(content);
    indent_ += 2;
    names_.open();
  }
  void close(std::string_view content) {
    names_.close();
    indent_ -= 2;
    line(content);
  }
  [[nodiscard]] std::string cpp(const Expr& expr) const {
    return greenmarl::cpp(procedure_, here_, expr);
  }
  [[nodiscard]] const std::string& value(SymbolId symbol) const { return here_.values.at(symbol); }
  [[nodiscard]] const std::string& object(SymbolId symbol) const {
    return here_.objects.at(symbol);
  }

  void prologue() {
    for (const SymbolId id : procedure_.arguments) {
      const ir::Symbol& symbol = procedure_[id];
      const bool changes = effects_.assigned.contains(id);
      if (!changes && !effects_.read.contains(id)) continue;
      here_.values[id] = names_.declare(symbol.name);
      line(fmt::format("{}{} {} = run.template argument<{}>({});", changes ? "" : "const ",
                       cpp_type(symbol.type), value(id), cpp_type(symbol.type),
                       cpp_string(symbol.name)));
    }
    for (const SymbolId id : procedure_.properties) {
      if (!effects_.touches(id)) continue;
      const ir::Symbol& symbol = procedure_[id];
      here_.objects[id] = names_.declare(symbol.name + "_array");
      line(fmt::format("Atoll::Array<{}>& {} = run.template array<{}>({});", cpp_type(symbol.type),
                       object(id), cpp_type(symbol.type), cpp_string(symbol.name)));
    }
  }

  void block(const std::vector<Stmt>& statements) {
    at_end_ = false;
    for (const Stmt& stmt : statements) statement(stmt);
  }

  void statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::declare:
        return declaration(stmt);
      case StmtKind::assign:
        return combine(value(stmt.symbol), stmt.op, stmt.exprs[0]);
      case StmtKind::write:
        return write(stmt);
      case StmtKind::loop:
        return loop(stmt);
      case StmtKind::if_:
        open(fmt::format("if ({}) {{", cpp(stmt.exprs[0])));
        block(stmt.body);
        if (!stmt.otherwise.empty()) {
          close("} else {");
          indent_ += 2;
          names_.open();
          block(stmt.otherwise);
        }
        return close("}");
      case StmtKind::while_:
      case StmtKind::do_while:
        return while_loop(stmt);
      case StmtKind::return_:
        return return_statement(stmt);
      case StmtKind::fill:
        return line(fmt::format("{}.fill({});", object(stmt.symbol), cpp(stmt.exprs[0])));
      case StmtKind::swap:
        return line(fmt::format("swap({}, {});", object(stmt.symbol), object(stmt.other)));
      case StmtKind::copy:
        break;
    }
    throw InternalError("a copy left over");
  }

  void declaration(const Stmt& stmt) {
    const ir::Symbol& symbol = procedure_[stmt.symbol];
    const std::string initial =
        stmt.exprs.empty() ? (symbol.type == Type::boolean ? "false" : "0") : cpp(stmt.exprs[0]);
    const bool changes = effects_.assigned.contains(stmt.symbol);
    here_.values[stmt.symbol] = names_.declare(symbol.name);
    line(fmt::format("{}{} {} = {};", changes ? "" : "const ", cpp_type(symbol.type),
                     value(stmt.symbol), initial));
  }

  /// target op= value
  void combine(const std::string& target, AssignOp op, const Expr& expr) {
    line(combination(target, op, cpp(expr), expr.type));
  }

  static std::string combination(const std::string& target, AssignOp op, const std::string& value,
                                 Type type) {
    switch (op) {
      case AssignOp::set:
        return fmt::format("{} = {};", target, value);
      case AssignOp::sum:
        if (value == "1" || value == "-1")
          return fmt::format("{}{};", value == "1" ? "++" : "--", target);
        return fmt::format("{} += {};", target, value);
      case AssignOp::product:
        return fmt::format("{} *= {};", target, value);
      case AssignOp::min:
      case AssignOp::max:
        return fmt::format("{0} = std::{1}<{2}>({0}, {3});", target,
                           op == AssignOp::min ? "min" : "max", cpp_type(type), value);
      case AssignOp::all:
        return fmt::format("{0} = ({1}) && {0};", target, value);
      case AssignOp::any:
        return fmt::format("{0} = ({1}) || {0};", target, value);
    }
    throw InternalError("assignment");
  }

  void write(const Stmt& stmt) {
    const std::string element = cpp_element(here_, stmt.symbol, stmt.node);
    if (here_.on_pointers) return combine(element, stmt.op, stmt.exprs[0]);
    const std::string& array = object(stmt.symbol);
    std::string changed = cpp(stmt.exprs[0]);
    if (stmt.op != AssignOp::set) {
      open("{");
      line(fmt::format("{} element = {};", cpp_type(stmt.exprs[0].type), element));
      combine("element", stmt.op, stmt.exprs[0]);
      changed = "element";
    }
    line(fmt::format("{}.set({}, {});", array, value(stmt.node), changed));
    line(fmt::format("{}.sync();", array));
    if (stmt.op != AssignOp::set) close("}");
  }

  void while_loop(const Stmt& stmt) {
    const bool first = stmt.kind == StmtKind::while_;
    if (stmt.condition.empty()) {
      open(first ? fmt::format("while ({}) {{", cpp(stmt.exprs[0])) : "do {");
      block(stmt.body);
      return close(first ? "}" : fmt::format("}} while ({});", cpp(stmt.exprs[0])));
    }
    open("for (;;) {");
    if (!first) block(stmt.body);
    block(stmt.condition);
    line(fmt::format("if (!({})) break;", cpp(stmt.exprs[0])));
    if (first) block(stmt.body);
    close("}");
  }

  void report_trips() {
    for (const auto& [symbol, counter] : procedure_.trips)
      line(fmt::format("run.trip_count({}, static_cast<std::uint64_t>({}));", cpp_string(symbol),
                       value(counter)));
  }

  void return_statement(const Stmt& stmt) {
    const bool last = at_end_;
    report_trips();
    if (!stmt.exprs.empty()) {
      const Expr& result = stmt.exprs[0];
      const std::string text = cpp(result);
      line(result.type == Type::node || result.type == Type::boolean
               ? fmt::format("run.returns(static_cast<std::int64_t>({}));", text)
               : fmt::format("run.returns({});", text));
    }
    if (!last) line("return;");
  }

  // Loops over nodes.
  void loop(const Stmt& stmt) {
    if (stmt.parallel) return parallel_loop(stmt);
    if (here_.on_pointers || holds_whole_array_work(stmt)) return plain_loop(stmt);
    const LoopNeeds needs = needs_of_loop(stmt);
    open("{");
    const Environment around = here_;
    take_pointers(needs);
    plain_loop(stmt);
    here_ = around;
    sync(needs);
    close("}");
  }

  void plain_loop(const Stmt& stmt) {
    const std::string& wished = procedure_[stmt.symbol].name;
    if (stmt.range == Range::nodes) {
      names_.open();
      const std::string iterator = here_.values[stmt.symbol] = names_.declare(wished);
      open(fmt::format("for (std::size_t {0} = 0; {0} < run.nodes(); ++{0}) {{", iterator));
    } else {
      const bool out = stmt.range == Range::out_nbrs;
      const std::string& from = value(stmt.node);
      names_.open();
      const std::string edge = names_.declare("edge"), end = names_.declare("end");
      open(fmt::format("for (Edge {0} = {1}, {2} = {3}; {0} < {2}; ++{0}) {{", edge,
                       cpp_element(here_, ir::bounds_array(out), from), end,
                       cpp_element(here_, ir::bounds_array(out), from + " + 1")));
      const std::string iterator = here_.values[stmt.symbol] = names_.declare(wished);
      line(fmt::format("const Node {} = {};", iterator,
                       cpp_element(here_, ir::ends_array(out), edge)));
    }
    block(stmt.body);
    close("}");
    names_.close();
  }

  void take_pointers(const LoopNeeds& needs) {
    here_.on_pointers = true;
    for (const ir::GraphArray array : needs.graph_arrays) {
      const std::string name = here_.graph_pointers[array] = names_.declare(ir::to_string(array));
      line(fmt::format("const {}* const {} = run.{}.local().data();",
                       cpp_type(ir::element_type(array)), name, ir::to_string(array)));
    }
    for (const auto& [property, written] : needs.properties) {
      const ir::Symbol& symbol = procedure_[property];
      const std::string name = here_.pointers[property] = names_.declare(symbol.name);
      line(fmt::format("{}{}* const {} = {}.{}().data();", written ? "" : "const ",
                       cpp_type(symbol.type), name, object(property),
                       written ? "master" : "local"));
    }
  }

  void sync(const LoopNeeds& needs) {
    for (const auto& [property, written] : needs.properties)
      if (written) line(fmt::format("{}.sync();", object(property)));
  }

  void parallel_loop(const Stmt& stmt) {
    const LoopNeeds needs = needs_of_loop(stmt);
    const std::string range =
        "\n" + std::string(indent_ + 4, ' ') + "run.team(), run.nodes(), run.schedule(), ";
    const std::string chunk = "[&](std::size_t first, std::size_t last) {";
    const Environment around = here_;
    if (needs.reductions.empty()) {
      open(fmt::format("Atoll::for_each_chunk({}{}", range, chunk));
      chunk_body(stmt, needs);
      close("});");
    } else if (needs.reductions.size() == 1) {
      const auto [target, op] = needs.reductions[0];
      const Type type = procedure_[target].type;
      const std::string reduce = fmt::format("Atoll::reduce_chunks<{}>({}{}, {}", cpp_type(type),
                                             range, cpp(ir::identity(op, type, stmt.at)), chunk);
      const std::string opening = combination(value(target), op, "@", type);
      const std::size_t mark = opening.find('@');
      open(opening.substr(0, mark) + reduce);
      const std::string part = chunk_body(stmt, needs)[0];
      line(fmt::format("return {};", part));
      close(fmt::format("}}, {}){}", combiner(op, type), opening.substr(mark + 1)));
    } else {
      open("{");
      open("struct Part {");
      std::vector<std::string> members;
      for (const auto& [target, op] : needs.reductions) {
        const Type type = procedure_[target].type;
        members.push_back(names_.declare(procedure_[target].name));
        line(fmt::format("{} {} = {};", cpp_type(type), members.back(),
                         cpp(ir::identity(op, type, stmt.at))));
      }
      close("};");
      open(fmt::format("const Part part = Atoll::reduce_chunks({}Part{{}}, {}", range, chunk));
      const std::vector<std::string> parts = chunk_body(stmt, needs);
      line(fmt::format("return Part{{{}}};", fmt::join(parts, ", ")));
      close("}, [](Part a, const Part& b) {");
      indent_ += 2;
      for (std::size_t i = 0; i < members.size(); ++i)
        line(combination("a." + members[i], needs.reductions[i].second, "b." + members[i],
                         procedure_[needs.reductions[i].first].type));
      line("return a;");
      indent_ -= 2;
      line("});");
      here_ = around;
      for (std::size_t i = 0; i < members.size(); ++i)
        combine_part(needs.reductions[i].first, needs.reductions[i].second, members[i]);
      close("}");
    }
    here_ = around;
    sync(needs);
  }

  void combine_part(SymbolId target, AssignOp op, const std::string& member) {
    line(combination(value(target), op, "part." + member, procedure_[target].type));
  }

  static std::string combiner(AssignOp op, Type type) {
    switch (op) {
      case AssignOp::sum:
        return "std::plus<>()";
      case AssignOp::product:
        return "std::multiplies<>()";
      case AssignOp::all:
        return "std::logical_and<>()";
      case AssignOp::any:
        return "std::logical_or<>()";
      case AssignOp::min:
      case AssignOp::max:
        return fmt::format("[]({0} a, {0} b) {{ return std::{1}(a, b); }}", cpp_type(type),
                           op == AssignOp::min ? "min" : "max");
      case AssignOp::set:
        break;
    }
    throw InternalError("combiner");
  }

  /// Everything within the lambda but its return; the names of the partial results.
  std::vector<std::string> chunk_body(const Stmt& stmt, const LoopNeeds& needs) {
    take_pointers(needs);
    // Copies of variables: the compiler can tell that no store to an array changes them.
    for (const SymbolId variable : needs.variables) {
      const std::string outer = value(variable);
      here_.values[variable] = names_.declare(procedure_[variable].name + "_here");
      line(fmt::format("const auto {} = {};", value(variable), outer));
    }
    std::vector<std::string> parts;
    for (const auto& [target, op] : needs.reductions) {
      const Type type = procedure_[target].type;
      parts.push_back(names_.declare(procedure_[target].name + "_part"));
      here_.values[target] = parts.back();
      line(fmt::format("{} {} = {};", cpp_type(type), parts.back(),
                       cpp(ir::identity(op, type, stmt.at))));
    }
    names_.open();
    const std::string iterator = here_.values[stmt.symbol] =
        names_.declare(procedure_[stmt.symbol].name);
    open(fmt::format("for (std::size_t {0} = first; {0} < last; ++{0}) {{", iterator));
    block(stmt.body);
    close("}");
    names_.close();
    return parts;
  }

  const ir::Procedure& procedure_;
  const ir::Effects effects_;
  Environment here_;
  NameScopes names_;
  std::string text_;
  std::size_t indent_ = 0;
  bool at_end_ = false;  ///< the statement is the function's last
};

}  // namespace

std::string emit_function(const ir::Procedure& procedure, const std::string& name) {
  return FunctionEmitter(procedure).run(name);
}

}  // namespace Atoll::greenmarl
