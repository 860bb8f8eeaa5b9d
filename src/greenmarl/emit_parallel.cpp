// Emits loops whose iterations are distributed over all threads in chunks. Reductions into
// variables are combined within each chunk, then over the chunks in order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "greenmarl/check_races.hpp"
#include "greenmarl/function_emitter.hpp"

namespace Atoll::greenmarl {

using ir::Stmt;
using ir::SymbolId;

namespace {

/// Returns the function object that combines the results of two chunks.
std::string combiner(AssignOp op, const Type& type) {
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

bool is_simple(const LoopNeeds& needs) {
  return needs.reductions.size() == 1 && needs.reductions[0].targets.size() == 1;
}

/// True if the iterator is an item of a list, not an index.
bool has_items(const Stmt& loop) {
  return loop.range == Range::items || loop.range == Range::level;
}

}  // namespace

void FunctionEmitter::parallel_loop(const Stmt& stmt) {
  const LoopNeeds needs = needs_of_loop(procedure_, stmt);
  const bool scope = stmt.range == Range::items;
  const auto level = environment_.objects;
  if (scope) {
    open("{");
    const std::string items = names_.declare("items");
    line(fmt::format("const auto {} = {}.items();", items,
                     collection({stmt.node, stmt.other}, stmt.checked, stmt.at)));
    environment_.objects[stmt.symbol] = items;
  } else if (stmt.range == Range::level) {
    environment_.objects[stmt.symbol] = object(stmt.node);
  }
  if (needs.reductions.empty()) {
    open_chunk(stmt, "Atoll::for_each_chunk(", "");
    chunk_body(stmt, needs);
    close_chunk("});");
  } else if (is_simple(needs)) {
    reducing_loop(stmt, needs);
  } else {
    open("{");
    reducing_loop_of_several(stmt, needs);
    close("}");
  }
  after_parallel(needs);
  environment_.objects = level;
  if (scope) close("}");
}

void FunctionEmitter::after_parallel(const LoopNeeds& needs) {
  if (needs.draws) line(fmt::format("{}.advance();", environment_.random));
  sync(needs);
}

/// Emits the call up to the "{" of its lambda. `around_chunks_` keeps the outer names.
void FunctionEmitter::open_chunk(const Stmt& stmt, const std::string& call,
                                 const std::string& identity) {
  const std::string size = has_items(stmt) ? object(stmt.symbol) + ".size()" : size_of(stmt);
  line(call);
  around_chunks_.push_back(environment_);
  indent_ += 4;
  open(
      fmt::format("run.team(), {}, run.schedule(), {}[&](std::size_t first, "
                  "std::size_t last) {{",
                  size, identity));
}

void FunctionEmitter::close_chunk(const std::string& content) {
  close(content);
  indent_ -= 4;
  environment_ = around_chunks_.back();
  around_chunks_.pop_back();
}

void FunctionEmitter::reducing_loop(const Stmt& stmt, const LoopNeeds& needs) {
  const LoopReduction& reduction = needs.reductions[0];
  const ir::Symbol& target = procedure_[reduction.targets[0]];
  const std::string all = names_.declare(target.name + "_all");
  reduce_into("const", all, stmt, needs);
  line(combination(value(reduction.targets[0]), reduction.op, all, target.type));
}

void FunctionEmitter::reduce_into(std::string_view qualifier, const std::string& result,
                                  const Stmt& stmt, const LoopNeeds& needs) {
  const LoopReduction& reduction = needs.reductions[0];
  const Type& type = procedure_[reduction.targets[0]].type;
  open_chunk(stmt,
             fmt::format("{0}{1}{2} {3} = Atoll::reduce_chunks<{2}>(", qualifier,
                         qualifier.empty() ? "" : " ", cpp_type(type), result),
             start_of(reduction, 0) + ", ");
  line(fmt::format("return {};", chunk_body(stmt, needs)[0][0]));
  close_chunk(fmt::format("}}, {});", combiner(reduction.op, type)));
}

bool FunctionEmitter::declared_by_loop(const Stmt& declaration, const Stmt& loop) {
  if (declaration.kind != ir::StmtKind::declare || declaration.exprs.empty() ||
      loop.kind != ir::StmtKind::loop || !loop.parallel || environment_.in_parallel ||
      has_items(loop))
    return false;
  const LoopNeeds needs = needs_of_loop(procedure_, loop);
  if (!is_simple(needs)) return false;
  const LoopReduction& reduction = needs.reductions[0];
  const SymbolId target = reduction.targets[0];
  const ir::Symbol& symbol = procedure_[target];
  if (target != declaration.symbol ||
      declaration.exprs[0] != ir::identity(reduction.op, symbol.type, declaration.at))
    return false;
  const std::string result = names_.declare(symbol.name);
  const bool once = effects_.assigned.at(target).size() == 1 && !effects_.foreign;
  reduce_into(once ? "const" : "", result, loop, needs);
  environment_.values[target] = result;
  after_parallel(needs);
  return true;
}

/// Returns a target's value before the first iteration of a chunk.
std::string FunctionEmitter::start_of(const LoopReduction& reduction, std::size_t target) const {
  const Type& type = procedure_[reduction.targets[target]].type;
  return target == 0 ? cpp(ir::identity(reduction.op, type, {})) : cpp_zero(type);
}

/// Emits the code that combines `from` into `into`. Of equal values, the first is kept.
void FunctionEmitter::combine_part(const LoopReduction& reduction,
                                   const std::vector<std::string>& into,
                                   const std::vector<std::string>& from) {
  if (into.size() == 1)
    return line(combination(into[0], reduction.op, from[0], procedure_[reduction.targets[0]].type));
  open(
      fmt::format("if ({} {} {}) {{", from[0], reduction.op == AssignOp::min ? "<" : ">", into[0]));
  for (std::size_t i = 0; i < into.size(); ++i) line(fmt::format("{} = {};", into[i], from[i]));
  close("}");
}

void FunctionEmitter::reducing_loop_of_several(const Stmt& stmt, const LoopNeeds& needs) {
  NameScopes members_scope;
  members_scope.open();
  std::vector<std::vector<std::string>> members;
  open("struct Part {");
  for (const LoopReduction& reduction : needs.reductions) {
    members.emplace_back();
    for (std::size_t i = 0; i < reduction.targets.size(); ++i) {
      const ir::Symbol& symbol = procedure_[reduction.targets[i]];
      members.back().push_back(members_scope.declare(symbol.name));
      line(fmt::format("{} {} = {};", cpp_type(symbol.type), members.back().back(),
                       start_of(reduction, i)));
    }
  }
  close("};");
  open_chunk(stmt, "const Part part = Atoll::reduce_chunks(", "Part{}, ");
  std::vector<std::string> parts;
  for (const auto& of_reduction : chunk_body(stmt, needs))
    parts.insert(parts.end(), of_reduction.begin(), of_reduction.end());
  line(fmt::format("return Part{{{}}};", fmt::join(parts, ", ")));
  const auto named = [](const std::string& prefix, const std::vector<std::string>& names) {
    std::vector<std::string> result;
    result.reserve(names.size());
    for (const std::string& name : names) result.push_back(prefix + name);
    return result;
  };
  reopen("}, [](Part a, const Part& b) {");
  for (std::size_t i = 0; i < members.size(); ++i)
    combine_part(needs.reductions[i], named("a.", members[i]), named("b.", members[i]));
  line("return a;");
  close_chunk("});");
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::vector<std::string> targets;
    for (const SymbolId target : needs.reductions[i].targets) targets.push_back(value(target));
    combine_part(needs.reductions[i], targets, named("part.", members[i]));
  }
}

/// Emits the body of the lambda up to its return statement. Returns the names of the partial
/// results.
std::vector<std::vector<std::string>> FunctionEmitter::chunk_body(const Stmt& stmt,
                                                                  const LoopNeeds& needs) {
  environment_.in_parallel = true;
  environment_.shared = shared_by_iterations(procedure_, stmt);
  environment_.shared.insert(needs.shared_variables.begin(), needs.shared_variables.end());
  take_pointers(needs);
  // Copies variables into locals, so that the compiler knows that array stores don't change them.
  for (const SymbolId variable : needs.variables) {
    const std::string outer = value(variable);
    environment_.values[variable] = names_.declare(procedure_[variable].name + "_here");
    line(fmt::format("const auto {} = {};", value(variable), outer));
  }
  std::vector<std::vector<std::string>> parts;
  for (const LoopReduction& reduction : needs.reductions) {
    parts.emplace_back();
    for (std::size_t i = 0; i < reduction.targets.size(); ++i) {
      const ir::Symbol& symbol = procedure_[reduction.targets[i]];
      parts.back().push_back(names_.declare(symbol.name + "_part"));
      environment_.values[reduction.targets[i]] = parts.back().back();
      line(fmt::format("{} {} = {};", cpp_type(symbol.type), parts.back().back(),
                       start_of(reduction, i)));
    }
  }
  names_.open();
  const std::string& wished = procedure_[stmt.symbol].name;
  const std::string position = names_.declare(has_items(stmt) ? "position" : wished);
  environment_.values[stmt.symbol] = position;
  open(fmt::format("for (std::size_t {0} = first; {0} < last; ++{0}) {{", position));
  if (has_items(stmt)) {
    const std::string item = environment_.values[stmt.symbol] = names_.declare(wished);
    line(fmt::format("const Node {} = {}[{}];", item, object(stmt.symbol), position));
  }
  if (needs.draws) {
    const std::string own = names_.declare("own_random");
    line(fmt::format("Atoll::graph::Random {} = {}.fork({});", own, environment_.random,
                     value(stmt.symbol)));
    environment_.random = own;
  }
  block(stmt.body);
  close("}");
  names_.close();
  return parts;
}

}  // namespace Atoll::greenmarl
