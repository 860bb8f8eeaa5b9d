// Emits statements.
#include "greenmarl/emit_function.hpp"

#include <fmt/format.h>

#include "greenmarl/function_emitter.hpp"

namespace Atoll::greenmarl {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

std::string emit_function(const ir::Procedure& procedure, const std::string& name) {
  return FunctionEmitter(procedure).run(name);
}

FunctionEmitter::FunctionEmitter(const ir::Procedure& procedure)
    : procedure_(procedure), effects_(ir::effects_of(procedure.body)) {}

void FunctionEmitter::line(std::string_view content) {
  text_.append(indent_, ' ').append(content).append("\n");
}

void FunctionEmitter::open(std::string_view content) {
  line(content);
  indent_ += 2;
  names_.open();
}

void FunctionEmitter::close(std::string_view content) {
  names_.close();
  indent_ -= 2;
  line(content);
}

void FunctionEmitter::reopen(std::string_view content) {
  close(content);
  indent_ += 2;
  names_.open();
}

std::string FunctionEmitter::run(const std::string& name) {
  line("template <class Node, class Edge>");
  open(fmt::format("void {}(Atoll::program::Run<Node, Edge>& run) {{", name));
  prologue();
  if (!procedure_.body.empty()) last_ = &procedure_.body.back();
  block(procedure_.body);
  if (last_ == nullptr || last_->kind != StmtKind::return_) report_trips();
  close("}");
  return std::move(text_);
}

void FunctionEmitter::prologue() {
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

void FunctionEmitter::block(const std::vector<Stmt>& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i)
    if (i + 1 < statements.size() && declared_by_loop(statements[i], statements[i + 1]))
      ++i;
    else
      statement(statements[i]);
}

void FunctionEmitter::statement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::declare:
      return declaration(stmt);
    case StmtKind::assign:
      return line(combination(value(stmt.symbol), stmt.op, cpp(stmt.exprs[0]), stmt.exprs[0].type));
    case StmtKind::write:
      return write(stmt);
    case StmtKind::loop:
      return loop(stmt);
    case StmtKind::if_:
      return if_chain(stmt);
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

void FunctionEmitter::if_chain(const Stmt& first) {
  open(fmt::format("if ({}) {{", cpp(first.exprs[0])));
  const Stmt* stmt = &first;
  for (;; stmt = &stmt->otherwise[0]) {
    block(stmt->body);
    const std::vector<Stmt>& rest = stmt->otherwise;
    if (rest.size() != 1 || rest[0].kind != StmtKind::if_) break;
    reopen(fmt::format("}} else if ({}) {{", cpp(rest[0].exprs[0])));
  }
  if (!stmt->otherwise.empty()) {
    reopen("} else {");
    block(stmt->otherwise);
  }
  close("}");
}

void FunctionEmitter::declaration(const Stmt& stmt) {
  const ir::Symbol& symbol = procedure_[stmt.symbol];
  const std::string initial =
      stmt.exprs.empty() ? (symbol.type == Type::boolean ? "false" : "0") : cpp(stmt.exprs[0]);
  const bool changes = effects_.assigned.contains(stmt.symbol);
  here_.values[stmt.symbol] = names_.declare(symbol.name);
  line(fmt::format("{}{} {} = {};", changes ? "" : "const ", cpp_type(symbol.type),
                   value(stmt.symbol), initial));
}

std::string FunctionEmitter::combination(const std::string& target, AssignOp op,
                                         const std::string& value, Type type) {
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
      return fmt::format("{} &= {};", target, value);
    case AssignOp::any:
      return fmt::format("{} |= {};", target, value);
  }
  throw InternalError("assignment");
}

void FunctionEmitter::write(const Stmt& stmt) {
  const std::string element = cpp_element(here_, stmt.symbol, stmt.node);
  const std::string written = cpp(stmt.exprs[0]);
  const Type type = stmt.exprs[0].type;
  if (here_.on_pointers) return line(combination(element, stmt.op, written, type));
  const std::string& array = object(stmt.symbol);
  if (stmt.op == AssignOp::set) {
    line(fmt::format("{}.set({}, {});", array, value(stmt.node), written));
  } else {
    open("{");
    const std::string changed = names_.declare("element");
    line(fmt::format("{} {} = {};", cpp_type(type), changed, element));
    line(combination(changed, stmt.op, written, type));
    line(fmt::format("{}.set({}, {});", array, value(stmt.node), changed));
    close("}");
  }
  line(fmt::format("{}.sync();", array));
}

void FunctionEmitter::while_loop(const Stmt& stmt) {
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

void FunctionEmitter::report_trips() {
  for (const auto& [symbol, counter] : procedure_.trips)
    line(fmt::format("run.trip_count({}, static_cast<std::uint64_t>({}));", cpp_string(symbol),
                     value(counter)));
}

void FunctionEmitter::return_statement(const Stmt& stmt) {
  report_trips();
  if (!stmt.exprs.empty()) {
    const Expr& result = stmt.exprs[0];
    const std::string text = cpp(result);
    line(result.type == Type::node || result.type == Type::boolean
             ? fmt::format("run.returns(static_cast<std::int64_t>({}));", text)
             : fmt::format("run.returns({});", text));
  }
  if (&stmt != last_) line("return;");
}

}  // namespace Atoll::greenmarl
