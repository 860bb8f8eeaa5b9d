// Emits sequential loops, and traversals.
#include <fmt/format.h>

#include "greenmarl/function_emitter.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {

using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

void FunctionEmitter::loop(const Stmt& stmt) {
  if (stmt.parallel && !environment_.in_parallel) return parallel_loop(stmt);
  if (environment_.on_pointers || environment_.in_parallel || !can_take_pointers(stmt))
    return plain_loop(stmt);
  const LoopNeeds needs = needs_of_loop(procedure_, stmt);
  open("{");
  const Environment around = environment_;
  take_pointers(needs);
  plain_loop(stmt);
  environment_ = around;
  sync(needs);
  close("}");
}

void FunctionEmitter::plain_loop(const Stmt& stmt) {
  names_.open();
  switch (stmt.range) {
    case Range::nodes:
    case Range::edges:
      nodes_loop(stmt);
      break;
    case Range::out_nbrs:
    case Range::in_nbrs:
    case Range::up_nbrs:
    case Range::down_nbrs:
      neighbours_loop(stmt);
      break;
    case Range::common_nbrs:
    case Range::items:
    case Range::level:
      items_loop(stmt);
      break;
  }
  names_.close();
}

void FunctionEmitter::nodes_loop(const Stmt& stmt) {
  const std::string iterator = environment_.values[stmt.symbol] =
      names_.declare(procedure_[stmt.symbol].name);
  open(fmt::format("for (std::size_t {0} = 0; {0} < {1}; ++{0}) {{", iterator, size_of(stmt)));
  block(stmt.body);
  close("}");
}

/// Returns the number of iterations of a loop over a graph's nodes or edges.
std::string FunctionEmitter::size_of(const Stmt& loop) const {
  return fmt::format("{}.{}()", value(loop.node), loop.range == Range::edges ? "edges" : "nodes");
}

void FunctionEmitter::neighbours_loop(const Stmt& stmt) {
  const bool up = stmt.range == Range::up_nbrs, down = stmt.range == Range::down_nbrs;
  const bool in =
      stmt.range == Range::in_nbrs || (up && !stmt.transposed) || (down && stmt.transposed);
  std::string from = index(stmt.node, stmt.checked, stmt.at);
  const bool scope = stmt.checked;
  if (scope) {
    open("{");
    const std::string checked = names_.declare("from");
    line(fmt::format("const auto {} = {};", checked, from));
    from = checked;
  }
  const SymbolId graph = graph_of(stmt.node);
  const std::string edge = names_.declare("edge"), end = names_.declare("end");
  open(fmt::format("for (Edge {0} = {1}, {2} = {3}; {0} < {2}; ++{0}) {{", edge,
                   cpp_element(environment_, graph, ir::bounds_array(!in), from), end,
                   cpp_element(environment_, graph, ir::bounds_array(!in), from + " + 1")));
  const std::string iterator = environment_.values[stmt.symbol] =
      names_.declare(procedure_[stmt.symbol].name);
  environment_.edges[stmt.symbol] = edge;
  line(fmt::format("const Node {} = {};", iterator,
                   cpp_element(environment_, graph, ir::ends_array(!in), edge)));
  if (up || down)
    line(fmt::format("if (!{}.{}({}, {})) continue;", value(stmt.other),
                     up ? "is_one_level_above" : "is_one_level_below", iterator, from));
  block(stmt.body);
  close("}");
  if (scope) close("}");
}

// Emits a loop over the items that exist when the loop begins.
void FunctionEmitter::items_loop(const Stmt& stmt) {
  const std::string& wished = procedure_[stmt.symbol].name;
  if (stmt.range == Range::items && procedure_[stmt.symbol].reference) {
    open("{");
    const std::string items = names_.declare("items");
    line(fmt::format("auto {} = {};", items,
                     collection({stmt.node, stmt.other}, stmt.checked, stmt.at)));
    const std::string item = environment_.values[stmt.symbol] = names_.declare(wished);
    open(fmt::format("for (auto& {} : {}) {{", item, items));
    block(stmt.body);
    close("}");
    return close("}");
  }
  std::string items;
  if (stmt.range == Range::level) {
    items = object(stmt.node);
  } else if (stmt.range == Range::common_nbrs) {
    items = fmt::format("Atoll::graph::common_neighbours({}, {}, {}, {})",
                        cpp_pointer(environment_, graph_of(stmt.node), ir::GraphArray::begin),
                        cpp_pointer(environment_, graph_of(stmt.node), ir::GraphArray::node_idx),
                        index(stmt.node, stmt.checked, stmt.at),
                        index(stmt.other, stmt.checked, stmt.at));
  } else {
    items = collection({stmt.node, stmt.other}, stmt.checked, stmt.at) + ".items()";
    if (is_shared(stmt.node))
      items = fmt::format("Atoll::program::locked({}, [&] {{ return {}; }})",
                          collection({stmt.node, stmt.other}, stmt.checked, stmt.at), items);
    if (stmt.backwards) items = fmt::format("Atoll::program::backwards({})", items);
  }
  const std::string item = environment_.values[stmt.symbol] = names_.declare(wished);
  open(fmt::format("for (const Node {} : {}) {{", item, items));
  block(stmt.body);
  close("}");
}

void FunctionEmitter::take_pointers(const LoopNeeds& needs) {
  environment_.on_pointers = true;
  for (const auto& [graph, array] : needs.graph_arrays) {
    const std::string text =
        fmt::format("{}.{}.local().data();", value(graph), ir::to_string(array));
    const std::string name = environment_.graph_pointers[{graph, array}] =
        names_.declare(ir::to_string(array));
    line(fmt::format("const {}* const {} = {}", cpp_type(ir::element_type(array)), name, text));
  }
  for (const auto& [property, written] : needs.properties) {
    const ir::Symbol& symbol = procedure_[property];
    const std::string name = environment_.pointers[property] = names_.declare(symbol.name);
    line(fmt::format("{}{}* const {} = {}.{}().data();", written ? "" : "const ",
                     cpp_type(ir::element_type(symbol)), name, object(property),
                     written ? "master" : "local"));
  }
}

void FunctionEmitter::sync(const LoopNeeds& needs) {
  for (const auto& [property, written] : needs.properties)
    if (written) line(fmt::format("{}.sync();", object(property)));
}

void FunctionEmitter::traversal(const Stmt& stmt) {
  open("{");
  const Environment around = environment_;
  if (stmt.breadth_first)
    breadth_first(stmt);
  else
    depth_first(stmt);
  environment_ = around;
  close("}");
}

/// Returns the adjacency arrays that a traversal follows.
std::string FunctionEmitter::lists(const Stmt& stmt) const {
  const SymbolId graph = graph_of(stmt.symbol);
  return fmt::format("{}, {}", cpp_pointer(environment_, graph, ir::bounds_array(!stmt.transposed)),
                     cpp_pointer(environment_, graph, ir::ends_array(!stmt.transposed)));
}

/// Emits a call whose last argument is the navigator: a lambda that accepts nodes.
void FunctionEmitter::navigator(const Stmt& stmt, const std::string& call) {
  if (stmt.exprs.size() < 2) return line(call + "[](Node) { return true; });");
  const Environment around = environment_;
  environment_.in_parallel = true;
  names_.open();
  const std::string node = environment_.values[stmt.other] =
      names_.declare(procedure_[stmt.other].name);
  open(fmt::format("{}[&](const Node {}) {{", call, node));
  block(stmt.condition);
  line(fmt::format("return {};", cpp(stmt.exprs[1])));
  close("});");
  names_.close();
  environment_ = around;
}

namespace {

bool uses_next_level(const std::vector<Stmt>& body, SymbolId traversal) {
  bool found = false;
  ir::for_each_stmt(body, [&](const Stmt& stmt) {
    found = found || (stmt.kind == StmtKind::loop && stmt.range == Range::down_nbrs &&
                      stmt.other == traversal);
  });
  return found;
}

}  // namespace

// Emits one iteration for each level; a level's nodes are a loop's range. If the body uses the next
// level, advance() runs before the body, otherwise after it.
void FunctionEmitter::breadth_first(const Stmt& stmt) {
  const std::string bfs = value(stmt.symbol);
  const std::string level = environment_.objects[stmt.symbol] = names_.declare("level");
  line(fmt::format("{}.start({});", bfs, cpp(stmt.exprs[0])));
  open(fmt::format("while (!{}.done()) {{", bfs));
  line("run.check_stop();");
  const bool down = uses_next_level(stmt.body, stmt.symbol);
  const std::string advance = fmt::format("{}.advance(run.team(), {}, ", bfs, lists(stmt));
  line(fmt::format("const auto {} = {}.level();", level, bfs));
  if (down) navigator(stmt, advance);
  block(stmt.body);
  if (!down) navigator(stmt, advance);
  close("}");
  if (stmt.otherwise.empty()) return;
  const std::string number = names_.declare("number");
  open(fmt::format("for (auto {0} = {1}.levels(); {0}-- > 0;) {{", number, bfs));
  line("run.check_stop();");
  line(fmt::format("const auto {} = {}.level({});", level, bfs, number));
  block(stmt.otherwise);
  close("}");
}

void FunctionEmitter::depth_first(const Stmt& stmt) {
  const std::string dfs = value(stmt.symbol);
  line(fmt::format("{}.start({});", dfs, cpp(stmt.exprs[0])));
  const std::string enters = names_.declare("may_enter");
  navigator(stmt, fmt::format("const auto {} = Atoll::program::as_function(", enters));
  open(fmt::format("while ({}.step({}, {})) {{", dfs, lists(stmt), enters));
  line("run.check_stop();");
  const std::string node = environment_.values[stmt.node] =
      names_.declare(procedure_[stmt.node].name);
  line(fmt::format("const Node {} = {}.node();", node, dfs));
  open(fmt::format("if ({}.entering()) {{", dfs));
  block(stmt.body);
  if (!stmt.otherwise.empty()) {
    reopen("} else {");
    block(stmt.otherwise);
  }
  close("}");
  close("}");
}

}  // namespace Atoll::greenmarl
