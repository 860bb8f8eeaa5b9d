// Emits writes to variables, properties, collections and maps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "greenmarl/function_emitter.hpp"

namespace Atoll::greenmarl {

using ir::Expr;
using ir::Stmt;

namespace {

/// Name of the atomic combining function in Atoll::graph, and of the equal method of Map.
std::string_view combiner(AssignOp op) {
  switch (op) {
    case AssignOp::sum:
      return "combine_sum";
    case AssignOp::product:
      return "combine_product";
    case AssignOp::min:
      return "combine_min";
    case AssignOp::max:
      return "combine_max";
    case AssignOp::all:
      return "combine_all";
    case AssignOp::any:
      return "combine_any";
    case AssignOp::set:
      break;
  }
  throw InternalError("combiner");
}

}  // namespace

std::string FunctionEmitter::combination(const std::string& target, AssignOp op,
                                         const std::string& value, const Type& type) {
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

void FunctionEmitter::assign(const Stmt& stmt) {
  const std::string written = cpp(stmt.exprs[0]);
  if (is_shared(stmt.symbol))
    return line(fmt::format("Atoll::graph::store({}, {});", value(stmt.symbol), written));
  line(combination(value(stmt.symbol), stmt.op, written, stmt.exprs[0].type));
}

void FunctionEmitter::write(const Stmt& stmt) {
  const std::string at = index(stmt.node, stmt.checked, stmt.at);
  const std::string written = cpp(stmt.exprs[0]);
  const Type& type = stmt.exprs[0].type;
  const std::string element = cpp_element(environment_, stmt.symbol, at);
  if (is_shared(stmt.symbol)) {
    if (stmt.op == AssignOp::set)
      return line(fmt::format("Atoll::graph::store({}, {});", element, written));
    return line(fmt::format("Atoll::graph::{}<{}>({}, {});", combiner(stmt.op), cpp_type(type),
                            element, written));
  }
  if (environment_.on_pointers) return line(combination(element, stmt.op, written, type));
  const std::string& array = object(stmt.symbol);
  if (stmt.op == AssignOp::set)
    return line(fmt::format("{}.set_in_all_copies({}, {});", array, at, written));
  open("{");
  const std::string changed = names_.declare("element");
  line(fmt::format("{} {} = {};", cpp_type(type), changed, element));
  line(combination(changed, stmt.op, written, type));
  line(fmt::format("{}.set_in_all_copies({}, {});", array, value(stmt.node), changed));
  close("}");
}

void FunctionEmitter::map_write(const Stmt& stmt) {
  const std::string& map = value(stmt.symbol);
  const std::string key = cpp(stmt.exprs[0]), written = cpp(stmt.exprs[1]);
  const std::string change =
      fmt::format("{}.{}", map, stmt.op == AssignOp::set ? "set" : combiner(stmt.op));
  if (is_shared(stmt.symbol))
    return line(fmt::format(
        "Atoll::program::locked({}, [&](auto key, auto value) {{ {}(key, value); }}, {}, {});", map,
        change, key, written));
  line(fmt::format("{}({}, {});", change, key, written));
}

void FunctionEmitter::take(const Stmt& stmt) {
  const auto text = [&](const ir::Place& place) {
    return collection(place, stmt.checked && place.node != ir::kNoSymbol, stmt.at);
  };
  if (!stmt.exprs.empty())
    return line(fmt::format("{} = {};", text(stmt.group[0]), cpp(stmt.exprs[0])));
  const std::string to = text(stmt.group[0]), from = text(stmt.group[1]);
  if (is_shared(stmt.group[0].symbol) || is_shared(stmt.group[1].symbol))
    return line(fmt::format("Atoll::program::take({}, {});", to, from));
  line(fmt::format("{} = {};", to, from));
}

void FunctionEmitter::store(const ir::Place& place, const std::string& at,
                            const std::string& written) {
  if (place.node == ir::kNoSymbol)
    line(fmt::format("{} = {};", value(place.symbol), written));
  else if (environment_.on_pointers)
    line(fmt::format("{} = {};", cpp_element(environment_, place.symbol, at), written));
  else
    line(fmt::format("{}.set_in_all_copies({}, {});", object(place.symbol), at, written));
}

// Computes all values, then compares. Either all targets change, or none.
void FunctionEmitter::best(const Stmt& stmt) {
  open("{");
  std::vector<std::string> values;
  for (const Expr& expr : stmt.exprs) {
    values.push_back(names_.declare("better"));
    line(fmt::format("const {} {} = {};", cpp_type(expr.type), values.back(), cpp(expr)));
  }
  const ir::Place& first = stmt.group[0];
  const bool elements = first.node != ir::kNoSymbol;
  std::string at;
  if (elements) {
    at = names_.declare("at");
    line(fmt::format("const auto {} = {};", at, index(first.node, stmt.checked, stmt.at)));
  }
  const std::string known =
      elements ? cpp_element(environment_, first.symbol, at) : value(first.symbol);
  const std::string_view sign = stmt.op == AssignOp::min ? "<" : ">";
  const bool shared = elements && is_shared(first.symbol);
  if (shared) {
    const std::string guard = names_.declare("guard");
    line(fmt::format("const auto {} = Atoll::graph::element_locks().guard(&{});", guard, known));
  }
  open(fmt::format("if ({} {} {}) {{", values[0], sign, known));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (shared)
      line(fmt::format("Atoll::graph::store({}, {});",
                       cpp_element(environment_, stmt.group[i].symbol, at), values[i]));
    else
      store(stmt.group[i], at, values[i]);
  }
  close("}");
  close("}");
}

void FunctionEmitter::call(const Expr& expr) {
  line(cpp(expr) + ";");
}

}  // namespace Atoll::greenmarl
