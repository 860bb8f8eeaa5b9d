// Walks once through the program with a product of loop counts. An edge loop over the neighbours of
// every node runs E times in all: its E takes the place of the N of the loop over the nodes.
// Conditions count as true.
#include "greenmarl/analyse.hpp"

#include <map>

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

/// Sums by (write, order), reads first.
using Counts = std::map<std::pair<bool, Order>, Formula>;

class Analysis {
 public:
  explicit Analysis(const Procedure& procedure) : procedure_(procedure) { block(procedure.body); }

  [[nodiscard]] std::vector<ArrayUse> result() const {
    std::vector<ArrayUse> all;
    for (const auto& [array, counts] : graph_) {
      ArrayUse& use = all.emplace_back();
      use.name = ir::to_string(array);
      use.type = ir::element_type(array);
      use.pattern = pattern(use.type == Type::edge ? N + 1 : E, counts);
      use.pattern.graph_own = true;
    }
    for (const SymbolId id : procedure_.properties) {
      const auto counts = properties_.find(id);
      const auto group = groups_.find(id);
      ArrayUse& use = all.emplace_back();
      use.name = procedure_[id].name;
      use.type = procedure_[id].type;
      use.pattern = pattern(N, counts == properties_.end() ? Counts{} : counts->second);
      use.pattern.temporary = !procedure_[id].result;
      use.result = procedure_[id].result;
      if (group != groups_.end()) use.group = procedure_[group->second].name;
    }
    return all;
  }

 private:
  /// A loop around the current statement.
  struct Frame {
    SymbolId iterator;
    Order order;          ///< the order in which a thread reaches elements at the iterator
    std::size_t factor;   ///< index into `factors_`: how often the loop runs
    bool over_all_nodes;  ///< true if that factor is still the N of this loop
  };

  static AccessPattern pattern(const Formula& elements, const Counts& counts) {
    AccessPattern pattern;
    pattern.elements = elements;
    for (const auto& [kind, count] : counts)
      pattern.accesses.push_back({kind.first, kind.second, count});
    return pattern;
  }

  [[nodiscard]] Formula times() const {
    Formula product = 1;
    for (const Formula& factor : factors_) product *= factor;
    return product;
  }

  [[nodiscard]] Order order_at(SymbolId node) const {
    for (const Frame& frame : frames_)
      if (frame.iterator == node) return frame.order;
    return Order::random;  // it is a Node variable
  }

  void property(SymbolId id, SymbolId node, bool write) {
    properties_[id][{write, order_at(node)}] += times();
  }

  /// Counts begin[node] and begin[node + 1].
  void bounds(bool out, SymbolId node) {
    const Order order = order_at(node);
    graph_[ir::bounds_array(out)][{false, order == Order::own ? Order::near : order}] +=
        2 * times();
  }

  void expression(const Expr& whole) {
    ir::for_each_expr(whole, [&](const Expr& expr) {
      if (expr.kind == ExprKind::property) property(expr.symbol, expr.node, false);
      if (expr.kind == ExprKind::out_degree) bounds(true, expr.node);
      if (expr.kind == ExprKind::in_degree) bounds(false, expr.node);
    });
  }

  void block(const std::vector<Stmt>& statements) {
    for (const Stmt& stmt : statements) statement(stmt);
  }

  void statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::while_:
      case StmtKind::do_while:
        return while_loop(stmt);
      case StmtKind::loop:
        return loop(stmt);
      case StmtKind::write:
        property(stmt.symbol, stmt.node, true);
        if (stmt.op != AssignOp::set) property(stmt.symbol, stmt.node, false);
        break;
      case StmtKind::fill:
        properties_[stmt.symbol][{true, Order::own}] += times() * N;
        break;
      case StmtKind::copy:
        properties_[stmt.other][{false, Order::own}] += times() * N;
        properties_[stmt.symbol][{true, Order::own}] += times() * N;
        break;
      case StmtKind::swap:
        groups_[stmt.symbol] = groups_[stmt.other] = stmt.symbol;
        break;
      case StmtKind::declare:
      case StmtKind::assign:
      case StmtKind::if_:
      case StmtKind::return_:
        break;
    }
    for (const Expr& expr : stmt.exprs) expression(expr);
    block(stmt.body);
    block(stmt.otherwise);
  }

  // The loop's symbol is how often its body runs in the whole run, whatever loops are around it.
  void while_loop(const Stmt& stmt) {
    const Formula trips = Formula::symbol(stmt.trip);
    const Formula conditions = stmt.kind == StmtKind::while_ ? trips + times() : trips;
    const auto factors = factors_;
    const auto frames = frames_;
    for (Frame& frame : frames_) frame.over_all_nodes = false;
    factors_ = {trips};
    block(stmt.body);
    factors_ = {conditions};
    block(stmt.condition);
    expression(stmt.exprs[0]);
    factors_ = factors;
    frames_ = frames;
  }

  void loop(const Stmt& stmt) {
    const auto factors = factors_;
    const auto frames = frames_;
    if (stmt.range == Range::nodes) {
      factors_.push_back(N);
      frames_.push_back(
          {stmt.symbol, stmt.parallel ? Order::own : Order::stream, factors_.size() - 1, true});
      block(stmt.body);
    } else {
      const bool out = stmt.range == Range::out_nbrs;
      bounds(out, stmt.node);
      Frame* whole = nullptr;
      for (Frame& frame : frames_)
        if (frame.iterator == stmt.node && frame.over_all_nodes) whole = &frame;
      if (whole != nullptr) {
        factors_[whole->factor] = E;
        whole->over_all_nodes = false;
      } else {
        factors_.push_back(Formula::symbol("deg"));
      }
      graph_[ir::ends_array(out)][{false, Order::stream}] += times();
      frames_.push_back({stmt.symbol, Order::random, 0, false});
      block(stmt.body);
    }
    factors_ = factors;
    frames_ = frames;
  }

  const Procedure& procedure_;
  const Formula N = Formula::symbol("N");
  const Formula E = Formula::symbol("E");
  std::vector<Formula> factors_;
  std::vector<Frame> frames_;
  std::map<ir::GraphArray, Counts> graph_;
  std::map<SymbolId, Counts> properties_;
  std::map<SymbolId, SymbolId> groups_;
};

}  // namespace

std::vector<ArrayUse> analyse(const Procedure& procedure) {
  return Analysis(procedure).result();
}

}  // namespace Atoll::greenmarl
