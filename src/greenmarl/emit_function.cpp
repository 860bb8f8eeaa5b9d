// Emits the function, and all statements except writes and loops.
#include "greenmarl/emit_function.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "greenmarl/function_emitter.hpp"
#include "greenmarl/walk.hpp"

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
  // A preprocessor directive isn't indented.
  if (content.starts_with('\n'))
    content.remove_prefix(1);
  else
    text_.append(indent_, ' ');
  text_.append(content).append("\n");
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
  if (last_ == nullptr || last_->kind != StmtKind::return_) report();
  close("}");
  return std::move(text_);
}

// The arrays of the first graph are members of `run`.
void FunctionEmitter::graphs() {
  for (std::size_t i = 0; i < procedure_.graphs.size(); ++i) {
    std::string& name = environment_.values[procedure_.graphs[i]];
    name = i == 0 ? "run" : names_.declare(procedure_[procedure_.graphs[i]].name);
    if (i > 0) line(fmt::format("[[maybe_unused]] auto& {} = run.graph({});", name, i));
  }
  for (std::uint32_t i = 0; i < procedure_.symbols.size(); ++i) {
    if (!procedure_.symbols[i].empty_graph) continue;
    const std::string name = environment_.values[SymbolId{i}] =
        names_.declare(procedure_.symbols[i].name);
    line(fmt::format("Atoll::program::GraphArrays<Node, Edge> {};  // it has no nodes", name));
  }
}

void FunctionEmitter::prologue() {
  graphs();
  for (const SymbolId id : procedure_.arguments) {
    const ir::Symbol& symbol = procedure_[id];
    const bool changes = effects_.assigned.contains(id) || effects_.foreign;
    if (!changes && !effects_.read.contains(id)) continue;
    environment_.values[id] = names_.declare(symbol.name);
    line(fmt::format("{}{} {} = run.template argument<{}>({});", changes ? "" : "const ",
                     cpp_type(symbol.type), value(id), cpp_type(symbol.type),
                     cpp_string(symbol.name)));
  }
  for (const SymbolId id : procedure_.properties) {
    if (!effects_.touches(id)) continue;
    const ir::Symbol& symbol = procedure_[id];
    const std::string type = cpp_type(ir::element_type(symbol));
    environment_.objects[id] = names_.declare(symbol.name + "_array");
    line(fmt::format("Atoll::Array<{0}>& {1} = run.template array<{0}>({2});", type, object(id),
                     cpp_string(symbol.name)));
  }
  for (const SymbolId id : procedure_.collections) {
    if (!effects_.touches(id)) continue;
    const ir::Symbol& symbol = procedure_[id];
    const std::string name = names_.declare(symbol.name);
    const bool property = symbol.kind == ir::Symbol::Kind::property;
    (property ? environment_.objects : environment_.values)[id] = name;
    const std::string type = cpp_type(ir::element_type(symbol));
    line(fmt::format("{0}& {1} = run.template collection<{0}>({2});",
                     property ? fmt::format("std::vector<{}>", type) : type, name,
                     cpp_string(symbol.name)));
  }
  // A traversal's memory is allocated once, even if the traversal runs repeatedly.
  ir::for_each_stmt(procedure_.body, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::traversal) return;
    environment_.values[stmt.symbol] = names_.declare(procedure_[stmt.symbol].name);
    line(fmt::format("Atoll::graph::{} {}({}.nodes());",
                     stmt.breadth_first ? "BreadthFirst<Node>" : "DepthFirst<Node, Edge>",
                     value(stmt.symbol), value(graph_of(stmt.symbol))));
  });
  if (effects_.draws) {
    environment_.random = names_.declare("random");
    line(fmt::format("Atoll::graph::Random {}(run.seed());", environment_.random));
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
      return assign(stmt);
    case StmtKind::write:
      return write(stmt);
    case StmtKind::map_write:
      return map_write(stmt);
    case StmtKind::take:
      return take(stmt);
    case StmtKind::best:
      return best(stmt);
    case StmtKind::call:
      return call(stmt.exprs[0]);
    case StmtKind::loop:
      return loop(stmt);
    case StmtKind::traversal:
      return traversal(stmt);
    case StmtKind::if_:
      return if_chain(stmt);
    case StmtKind::while_:
    case StmtKind::do_while:
      return while_loop(stmt);
    case StmtKind::region:
      return region(stmt);
    case StmtKind::leave:
      return line(fmt::format("goto {};", value(stmt.symbol)));
    case StmtKind::return_:
      return return_statement(stmt);
    case StmtKind::fill:
      return line(fmt::format("{}.fill({});", object(stmt.symbol), cpp(stmt.exprs[0])));
    case StmtKind::swap:
      return line(fmt::format("swap({}, {});", object(stmt.symbol), object(stmt.other)));
    case StmtKind::foreign:
      return foreign(stmt);
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
  const Type& element = ir::element_type(symbol);
  if (symbol.kind == ir::Symbol::Kind::property) {
    if (element.shape == Shape::value && !environment_.objects.contains(stmt.symbol))
      return;  // never read: it has no array
    if (element.shape == Shape::value)
      return line(fmt::format("{}.fill({});", object(stmt.symbol), cpp(stmt.exprs[0])));
    environment_.objects[stmt.symbol] = names_.declare(symbol.name);
    return line(fmt::format("std::vector<{}> {}({}.{}());", cpp_type(element), object(stmt.symbol),
                            value(symbol.type.graph), symbol.type.at_edges ? "edges" : "nodes"));
  }
  environment_.values[stmt.symbol] = names_.declare(symbol.name);
  if (element.shape != Shape::value)
    return line(fmt::format("{} {};", cpp_type(symbol.type), value(stmt.symbol)));
  const std::string initial = stmt.exprs.empty() ? cpp_zero(symbol.type) : cpp(stmt.exprs[0]);
  const bool changes = effects_.assigned.contains(stmt.symbol) || effects_.foreign || symbol.result;
  line(fmt::format("{}{} {} = {};", changes ? "" : "const ", cpp_type(symbol.type),
                   value(stmt.symbol), initial));
}

void FunctionEmitter::while_loop(const Stmt& stmt) {
  const bool first = stmt.kind == StmtKind::while_;
  if (stmt.condition.empty()) {
    open(first ? fmt::format("while ({}) {{", cpp(stmt.exprs[0])) : "do {");
    if (!environment_.in_parallel) line("run.check_stop();");
    block(stmt.body);
    return close(first ? "}" : fmt::format("}} while ({});", cpp(stmt.exprs[0])));
  }
  open("for (;;) {");
  if (!environment_.in_parallel) line("run.check_stop();");
  if (!first) block(stmt.body);
  block(stmt.condition);
  line(fmt::format("if (!({})) break;", cpp(stmt.exprs[0])));
  if (first) block(stmt.body);
  close("}");
}

// Labels have function scope, in any block.
void FunctionEmitter::region(const Stmt& stmt) {
  const std::string label = fmt::format("{}_{}", cpp_name(procedure_[stmt.symbol].name), ++labels_);
  environment_.values[stmt.symbol] = label;
  open("{");
  block(stmt.body);
  close("}");
  line(label + ": __attribute__((unused));");  // unused if the only Return is at the end
}

void FunctionEmitter::report() {
  for (const SymbolId id : procedure_.outputs) {
    const Type& type = procedure_[id].type;
    const bool integer = type.is_element() || type.is(ValueType::boolean) || is_integer(type);
    line(fmt::format("run.output({}, Atoll::program::Scalar(static_cast<{}>({})));",
                     cpp_string(procedure_[id].name), integer ? "std::int64_t" : "double",
                     value(id)));
  }
  for (const auto& [symbol, counter] : procedure_.trips)
    line(fmt::format("run.trip_count({}, static_cast<std::uint64_t>({}));", cpp_string(symbol),
                     value(counter)));
}

void FunctionEmitter::return_statement(const Stmt& stmt) {
  if (!stmt.exprs.empty()) {
    const Expr& result = stmt.exprs[0];
    const std::string text = cpp(result);
    line(result.type.is_element() || result.type.is(ValueType::boolean)
             ? fmt::format("run.returns(static_cast<std::int64_t>({}));", text)
         : is_integer(result.type) ? fmt::format("run.returns(std::int64_t{{{}}});", text)
                                   : fmt::format("run.returns({});", text));
  }
  report();
  if (&stmt != last_) line("return;");
}

// Foreign text changes symbols through their C++ names, and elements through pointers.
void FunctionEmitter::foreign(const Stmt& stmt) {
  const LoopNeeds needs = needs_of_loop(procedure_, stmt);
  const bool writes = std::ranges::any_of(needs.properties, [](const auto& p) { return p.second; });
  if (environment_.on_pointers || environment_.in_parallel || !writes)
    return line(cpp_foreign(procedure_, environment_, stmt.exprs[0]));
  open("{");
  const Environment around = environment_;
  take_pointers(needs);
  line(cpp_foreign(procedure_, environment_, stmt.exprs[0]));
  environment_ = around;
  sync(needs);
  close("}");
}

}  // namespace Atoll::greenmarl
