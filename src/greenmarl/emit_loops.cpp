// Emits loops over nodes, by one thread or by all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "greenmarl/function_emitter.hpp"

namespace Atoll::greenmarl {

using ir::Stmt;
using ir::SymbolId;

namespace {

/// The function that combines the results of two chunks.
std::string combiner(AssignOp op, Type type) {
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

}  // namespace

void FunctionEmitter::loop(const Stmt& stmt) {
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

void FunctionEmitter::plain_loop(const Stmt& stmt) {
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

void FunctionEmitter::take_pointers(const LoopNeeds& needs) {
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
                     cpp_type(symbol.type), name, object(property), written ? "master" : "local"));
  }
}

void FunctionEmitter::sync(const LoopNeeds& needs) {
  for (const auto& [property, written] : needs.properties)
    if (written) line(fmt::format("{}.sync();", object(property)));
}

void FunctionEmitter::parallel_loop(const Stmt& stmt) {
  const LoopNeeds needs = needs_of_loop(stmt);
  if (needs.reductions.empty()) {
    open_chunk("Atoll::for_each_chunk(", "");
    chunk_body(stmt, needs);
    close_chunk("});");
  } else if (needs.reductions.size() == 1) {
    reducing_loop(stmt, needs);
  } else {
    open("{");
    reducing_loop_of_several(stmt, needs);
    close("}");
  }
  sync(needs);
}

/// Emits the call up to its lambda's "{"; `around_chunk_` keeps the names of the outside.
void FunctionEmitter::open_chunk(const std::string& call, const std::string& identity) {
  line(call);
  around_chunk_ = here_;
  indent_ += 4;
  open(
      fmt::format("run.team(), run.nodes(), run.schedule(), {}[&](std::size_t first, "
                  "std::size_t last) {{",
                  identity));
}

void FunctionEmitter::close_chunk(const std::string& content) {
  close(content);
  indent_ -= 4;
  here_ = around_chunk_;
}

void FunctionEmitter::reducing_loop(const Stmt& stmt, const LoopNeeds& needs) {
  const auto [target, op] = needs.reductions[0];
  const std::string all = names_.declare(procedure_[target].name + "_all");
  reduce_into("const", all, stmt, needs);
  line(combination(value(target), op, all, procedure_[target].type));
}

void FunctionEmitter::reduce_into(std::string_view qualifier, const std::string& result,
                                  const Stmt& stmt, const LoopNeeds& needs) {
  const auto [target, op] = needs.reductions[0];
  const Type type = procedure_[target].type;
  open_chunk(fmt::format("{0}{1}{2} {3} = Atoll::reduce_chunks<{2}>(", qualifier,
                         qualifier.empty() ? "" : " ", cpp_type(type), result),
             cpp(ir::identity(op, type, stmt.at)) + ", ");
  line(fmt::format("return {};", chunk_body(stmt, needs)[0]));
  close_chunk(fmt::format("}}, {});", combiner(op, type)));
}

bool FunctionEmitter::declared_by_loop(const Stmt& declaration, const Stmt& loop) {
  if (declaration.kind != ir::StmtKind::declare || declaration.exprs.empty() ||
      loop.kind != ir::StmtKind::loop || !loop.parallel)
    return false;
  const LoopNeeds needs = needs_of_loop(loop);
  if (needs.reductions.size() != 1) return false;
  const auto [target, op] = needs.reductions[0];
  const ir::Symbol& symbol = procedure_[target];
  if (target != declaration.symbol ||
      declaration.exprs[0] != ir::identity(op, symbol.type, declaration.at))
    return false;
  const std::string result = names_.declare(symbol.name);
  reduce_into(effects_.assigned.at(target).size() == 1 ? "const" : "", result, loop, needs);
  here_.values[target] = result;
  sync(needs);
  return true;
}

void FunctionEmitter::reducing_loop_of_several(const Stmt& stmt, const LoopNeeds& needs) {
  NameScopes members_scope;
  members_scope.open();
  std::vector<std::string> members;
  open("struct Part {");
  for (const auto& [target, op] : needs.reductions) {
    const Type type = procedure_[target].type;
    members.push_back(members_scope.declare(procedure_[target].name));
    line(fmt::format("{} {} = {};", cpp_type(type), members.back(),
                     cpp(ir::identity(op, type, stmt.at))));
  }
  close("};");
  open_chunk("const Part part = Atoll::reduce_chunks(", "Part{}, ");
  line(fmt::format("return Part{{{}}};", fmt::join(chunk_body(stmt, needs), ", ")));
  const auto combine_all = [&](const std::string& from, const auto& target_text) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto& [target, op] = needs.reductions[i];
      line(combination(target_text(i), op, from + members[i], procedure_[target].type));
    }
  };
  reopen("}, [](Part a, const Part& b) {");
  combine_all("b.", [&](std::size_t i) { return "a." + members[i]; });
  line("return a;");
  close_chunk("});");
  combine_all("part.", [&](std::size_t i) { return value(needs.reductions[i].first); });
}

/// Emits everything within the lambda but its return. Returns the names of the partial results.
std::vector<std::string> FunctionEmitter::chunk_body(const Stmt& stmt, const LoopNeeds& needs) {
  take_pointers(needs);
  // Variables are copied, so that the compiler can see that no store to an array changes them.
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

}  // namespace Atoll::greenmarl
