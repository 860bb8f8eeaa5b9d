// Lowers loops, traversals and reductions. A reduction becomes a loop before the statement that
// uses it. If an operand is evaluated conditionally, its loop runs under the same condition.
#include <fmt/format.h>

#include <algorithm>

#include "greenmarl/lowerer.hpp"

namespace Atoll::greenmarl {
namespace {

std::string_view accumulator_name(Reduction op) {
  switch (op) {
    case Reduction::sum:
    case Reduction::average:
      return "sum";
    case Reduction::product:
      return "product";
    case Reduction::min:
      return "least";
    case Reduction::max:
      return "greatest";
    case Reduction::count:
      return "count";
    case Reduction::all:
      return "all";
    case Reduction::exist:
      return "any";
  }
  return "value";
}

AssignOp combining(Reduction op) {
  switch (op) {
    case Reduction::sum:
    case Reduction::count:
    case Reduction::average:
      return AssignOp::sum;
    case Reduction::product:
      return AssignOp::product;
    case Reduction::min:
      return AssignOp::min;
    case Reduction::max:
      return AssignOp::max;
    case Reduction::all:
      return AssignOp::all;
    case Reduction::exist:
      return AssignOp::any;
  }
  return AssignOp::sum;
}

bool runs_over_neighbours(Range range) {
  return range == Range::out_nbrs || range == Range::in_nbrs || range == Range::up_nbrs ||
         range == Range::down_nbrs;
}

}  // namespace

// Resolves the loop's source, which determines the iterator's type.
void Lowerer::enter_range(const ast::Header& header, ir::Stmt& loop) {
  if (header.transposed && header.range != Range::nodes && header.range != Range::edges)
    error(header.source.at, fmt::format("'{}' is no graph to transpose", ast::print(header.source)),
          header.range == Range::out_nbrs  ? "run over InNbrs"
          : header.range == Range::in_nbrs ? "run over Nbrs"
                                           : "leave '^' out");
  Type type = ValueType::node;
  ir::Symbol::Kind kind = ir::Symbol::Kind::iterator;
  switch (header.range) {
    case Range::nodes:
    case Range::edges: {
      const ast::Expr& source = header.source;
      const ir::SymbolId graph =
          source.kind == ast::ExprKind::name ? variable(source.name) : ir::kNoSymbol;
      if (graph == ir::kNoSymbol || result_[graph].kind != ir::Symbol::Kind::graph)
        error(source.at, fmt::format("'{}' is not the graph", ast::print(source)),
              graphs_.empty()
                  ? "take one: (G: Graph, …)"
                  : fmt::format("write {}.{}", result_[graphs_[0]].name, to_string(header.range)));
      loop.node = graph;
      if (header.range == Range::edges) type = ValueType::edge;
      type.graph = graph;
      break;
    }
    case Range::out_nbrs:
    case Range::in_nbrs:
    case Range::up_nbrs:
    case Range::down_nbrs:
    case Range::common_nbrs: {
      loop.node = element(header.source, "to run over neighbours of");
      loop.checked = may_be_nil(loop.node);
      type = result_[loop.node].type;
      if (!type.is(ValueType::node))
        error(header.source.at, fmt::format("'{}' is no node", ast::print(header.source)),
              "an iterator or a Node is needed here");
      if (header.range == Range::common_nbrs) {
        if (header.args.size() != 1)
          error(header.source.at, "CommonNbrs needs the other node", "write n.CommonNbrs(m)");
        loop.other = element(header.args[0], "to run over common neighbours with");
        if (result_[loop.other].type != type)
          error(header.args[0].at, fmt::format("'{}' is no node", ast::print(header.args[0])),
                "an iterator or a Node of the same graph is needed here");
        loop.checked = loop.checked || may_be_nil(loop.other);
      }
      if (header.range == Range::up_nbrs || header.range == Range::down_nbrs) {
        if (traversals_.empty() || !traversals_.back().breadth_first)
          error(header.iterator.at,
                fmt::format("{} are neighbours within a breadth-first traversal",
                            to_string(header.range)),
                "use them in InBFS, or run over Nbrs");
        loop.other = traversals_.back().symbol;
        loop.transposed = traversals_.back().transposed;
      }
      break;
    }
    case Range::items: {
      const auto place = collection(header.source);
      if (!place)
        error(header.source.at, fmt::format("'{}' is no collection", ast::print(header.source)),
              "Items are what a collection holds");
      const Type& held = ir::element_type(result_[place->symbol]);
      loop.node = place->symbol;
      loop.other = place->node;
      loop.backwards = header.backwards;
      loop.checked = place->node != ir::kNoSymbol && may_be_nil(place->node);
      if (held.is(CollectionShape::many)) {
        type = held.of[0];
        kind = ir::Symbol::Kind::collection;
      } else {
        type.graph = held.graph;
      }
      break;
    }
    case Range::level:
      throw InternalError("a level in a program");
  }
  loop.symbol = temporary(header.iterator.text, type, header.iterator.at, kind);
  result_[loop.symbol].reference = kind == ir::Symbol::Kind::collection;
}

ir::Stmt Lowerer::enter_loop(const ast::Header& header, bool unordered, Position at) {
  ir::Stmt loop;
  loop.kind = ir::StmtKind::loop;
  loop.at = at;
  loop.range = header.range;
  loop.unordered = unordered;
  enter_range(header, loop);
  const bool up = header.range == Range::up_nbrs, down = header.range == Range::down_nbrs;
  loops_.push_back({.iterator = loop.symbol,
                    .iterator_name = header.iterator.text,
                    .unordered = unordered,
                    .range = header.range,
                    .has_edge = runs_over_neighbours(header.range),
                    .incoming = header.range == Range::in_nbrs || (up && !loop.transposed) ||
                                (down && loop.transposed)});
  scopes_.open();
  return loop;
}

void Lowerer::leave_loop(ir::Stmt loop) {
  scopes_.close();
  OpenLoop open = std::move(loops_.back());
  loops_.pop_back();
  loop.serial = open.serial;
  const bool over_graph = loop.range == Range::nodes || loop.range == Range::edges;
  const bool runs = !over_graph || !result_[loop.node].empty_graph;
  emit_around(std::move(loop), std::move(open.deferred), runs);
}

void Lowerer::emit_around(ir::Stmt loop, Deferred deferred, bool runs) {
  for (ir::Stmt& stmt : deferred.before) emit(std::move(stmt));
  if (runs) emit(std::move(loop));
  for (ir::Stmt& stmt : deferred.after) emit(std::move(stmt));
}

void Lowerer::make_loops_serial() {
  for (OpenLoop& loop : loops_) loop.serial = true;
}

Lowerer::Statements Lowerer::filtered(const std::vector<ast::Expr>& filter,
                                      const std::function<Statements()>& body) {
  return captured([&] {
    if (filter.empty()) {
      for (ir::Stmt& inner : body()) emit(std::move(inner));
      return;
    }
    ir::Expr test = ir::bool_literal(true, filter[0].at);
    attempt([&] { test = condition(filter[0]); });  // check the body even after an error
    emit(ir::if_then(std::move(test), body(), {}, filter[0].at));
  });
}

void Lowerer::loop(const ast::Stmt& stmt) {
  ir::Stmt loop;
  try {
    loop = enter_loop(stmt.header[0], stmt.parallel, stmt.at);
  } catch (const MistakeReported&) {
    reported_.insert(stmt.header[0].iterator.text);
    throw;
  }
  scopes_.declare(diagnostics_, stmt.header[0].iterator, loop.symbol, false);
  loop.body = filtered(stmt.condition, [&] { return block(stmt.body); });
  leave_loop(std::move(loop));
}

void Lowerer::traversal(const ast::Stmt& stmt) {
  const ast::Header& header = stmt.header[0];
  ir::Stmt result;
  result.kind = ir::StmtKind::traversal;
  result.at = stmt.at;
  result.breadth_first = stmt.breadth_first;
  result.transposed = header.transposed;
  make_loops_serial();
  const ir::SymbolId graph =
      header.source.kind == ast::ExprKind::name ? variable(header.source.name) : ir::kNoSymbol;
  if (graph == ir::kNoSymbol || result_[graph].kind != ir::Symbol::Kind::graph)
    error(header.source.at, fmt::format("'{}' is not the graph", ast::print(header.source)),
          "a traversal is of a graph: (v: G.Nodes From root)");
  if (header.range != Range::nodes)
    error(header.iterator.at, fmt::format("a traversal can't run over {}", to_string(header.range)),
          fmt::format("write {}.Nodes", result_[graph].name));
  Type node = ValueType::node;
  node.graph = graph;
  result.exprs.push_back(converted(diagnostics_, expression(stmt.root[0]), node, "the root"));
  result.symbol =
      temporary(stmt.breadth_first ? "bfs" : "dfs", node, stmt.at, ir::Symbol::Kind::traversal);
  traversals_.push_back({.symbol = result.symbol,
                         .transposed = result.transposed,
                         .breadth_first = stmt.breadth_first});
  if (!stmt.navigator.empty()) navigator(stmt, result);
  if (!stmt.breadth_first)
    result.node =
        temporary(header.iterator.text, node, header.iterator.at, ir::Symbol::Kind::iterator);
  result.body = visit(stmt, result, true);
  if (stmt.has_otherwise) result.otherwise = visit(stmt, result, false);
  Deferred deferred = std::move(traversals_.back().deferred);
  traversals_.pop_back();
  emit_around(std::move(result), std::move(deferred), !result_[graph].empty_graph);
}

void Lowerer::navigator(const ast::Stmt& stmt, ir::Stmt& traversal) {
  const ast::Name& name = stmt.header[0].iterator;
  traversal.other =
      temporary(name.text, traversal.exprs[0].type, name.at, ir::Symbol::Kind::iterator);
  scopes_.open();
  scopes_.declare(diagnostics_, name, traversal.other, false);
  loops_.push_back({.iterator = traversal.other,
                    .iterator_name = name.text,
                    .unordered = true,
                    .range = Range::level});
  traversal.condition = captured([&] { traversal.exprs.push_back(condition(stmt.navigator[0])); });
  loops_.pop_back();
  scopes_.close();
}

// Lowers the statements of one direction; for a breadth-first traversal, as a loop over a level.
Lowerer::Statements Lowerer::visit(const ast::Stmt& stmt, const ir::Stmt& traversal, bool forward) {
  const ast::Name& name = stmt.header[0].iterator;
  const std::vector<ast::Stmt>& body = forward ? stmt.body : stmt.otherwise;
  const std::vector<ast::Expr>& filter = forward ? stmt.condition : stmt.other_condition;
  const auto lowered = [&] { return filtered(filter, [&] { return block(body); }); };
  if (!stmt.breadth_first) {
    loops_.push_back(
        {.iterator = traversal.node, .iterator_name = name.text, .traversal = traversal.symbol});
    scopes_.open();
    scopes_.declare(diagnostics_, name, traversal.node, false);
    Statements statements = lowered();
    scopes_.close();
    loops_.pop_back();
    return statements;
  }
  ir::Stmt loop;
  loop.kind = ir::StmtKind::loop;
  loop.at = stmt.at;
  loop.range = Range::level;
  loop.unordered = true;
  loop.node = traversal.symbol;
  loop.transposed = traversal.transposed;
  loop.symbol =
      temporary(name.text, result_[traversal.symbol].type, name.at, ir::Symbol::Kind::iterator);
  loops_.push_back({.iterator = loop.symbol,
                    .iterator_name = name.text,
                    .unordered = true,
                    .range = Range::level,
                    .traversal = traversal.symbol});
  scopes_.open();
  scopes_.declare(diagnostics_, name, loop.symbol, false);
  loop.body = lowered();
  return captured([&] { leave_loop(std::move(loop)); });
}

ir::Expr Lowerer::reduction(const ast::Expr& expr) {
  const Reduction op = expr.reduction;
  const bool logical = op == Reduction::all || op == Reduction::exist;
  ir::Stmt loop = enter_loop(expr.header[0], true, expr.at);
  scopes_.declare(diagnostics_, expr.header[0].iterator, loop.symbol, false);
  Type type = op == Reduction::count ? ValueType::int64
              : logical              ? ValueType::boolean
                                     : ValueType::float64;
  ir::SymbolId total, counter = ir::kNoSymbol;
  loop.body = captured([&] {
    std::optional<ir::Expr> filter;
    if (!expr.filter.empty()) filter = condition(expr.filter[0]);
    Statements combine = captured([&] {
      ir::Expr value = ir::literal(1, ValueType::int64, expr.at);
      if (op != Reduction::count) {
        value = expression(expr.args[0]);
        const bool ordered = op == Reduction::min || op == Reduction::max;
        if (!logical && !is_numeric(value.type) &&
            !(ordered && value.type.is_element() && !value.flexible))
          error(expr.args[0].at, fmt::format("{} of {}", to_string(op), with_article(value.type)),
                ordered ? "its body has to be a number, a Node or an Edge"
                        : "its body has to be a number");
        if (!logical && op != Reduction::average) type = value.type;
        value = converted(diagnostics_, std::move(value), type,
                          fmt::format("in the body of {}", to_string(op)));
      }
      total = temporary(std::string(accumulator_name(op)), type, expr.at);
      emit(ir::assign(total, combining(op), std::move(value), expr.at));
      if (op == Reduction::average) {
        counter = temporary("count", ValueType::int64, expr.at);
        emit(
            ir::assign(counter, AssignOp::sum, ir::literal(1, ValueType::int64, expr.at), expr.at));
      } else if (op == Reduction::max && type.is_element()) {
        counter = temporary("any", ValueType::boolean, expr.at);
        emit(ir::assign(counter, AssignOp::any, ir::bool_literal(true, expr.at), expr.at));
      }
    });
    if (filter) return emit(ir::if_then(std::move(*filter), std::move(combine), {}, expr.at));
    for (ir::Stmt& stmt : combine) emit(std::move(stmt));
  });
  emit(ir::declare(total, expr.at, {ir::identity(combining(op), type, expr.at)}));
  if (counter != ir::kNoSymbol) emit(ir::declare(counter, expr.at));
  leave_loop(std::move(loop));
  if (op == Reduction::average) return average(total, counter, expr.at);
  if (counter != ir::kNoSymbol) return greatest_element(total, counter, expr.at);
  return type.is_element() ? ir::node(result_, total, expr.at)
                           : ir::scalar(result_, total, expr.at);
}

// Every id is a valid element or NIL, so no id can mark an empty range. `any` records whether there
// was an element.
ir::Expr Lowerer::greatest_element(ir::SymbolId total, ir::SymbolId any, Position at) {
  ir::Expr result;
  result.kind = ir::ExprKind::conditional;
  result.type = result_[total].type;
  result.at = at;
  result.args = {ir::scalar(result_, any, at), ir::node(result_, total, at),
                 ir::nil(result.type, at)};
  return result;
}

// The average of an empty range is 0.
ir::Expr Lowerer::average(ir::SymbolId total, ir::SymbolId counter, Position at) {
  const ir::Expr count = ir::scalar(result_, counter, at);
  ir::Expr result;
  result.kind = ir::ExprKind::conditional;
  result.at = at;
  result.args.push_back(
      ir::binary(BinaryOp::equal, count, ir::literal(0, ValueType::int64, at), at));
  result.args.push_back(ir::real_literal(0, ValueType::float64, at));
  result.args.push_back(ir::binary(BinaryOp::divide, ir::scalar(result_, total, at),
                                   cast(diagnostics_, count, ValueType::float64, at), at));
  return result;
}

}  // namespace Atoll::greenmarl
