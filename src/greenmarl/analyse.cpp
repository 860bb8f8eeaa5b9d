// Walks the program once with a product of loop counts. A loop over the neighbours of every node
// has E iterations in total, so its E replaces the N of the loop over the nodes. Conditions count
// as true.
#include "greenmarl/analyse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

/// Sums by (write, order); reads precede writes.
using Counts = std::map<std::pair<bool, Order>, Formula>;

class Analysis {
 public:
  Analysis(const Procedure& procedure, const std::set<SymbolId>& needed)
      : procedure_(procedure), needed_(needed), written_(ir::effects_of(procedure.body)) {
    block(procedure.body);
  }

  [[nodiscard]] std::vector<ArrayUse> result() const {
    std::vector<ArrayUse> all;
    for (std::uint32_t i = 0; i < procedure_.graphs.size(); ++i) {
      const SymbolId graph = procedure_.graphs[i];
      const auto arrays = graph_.find(graph);
      if (arrays == graph_.end()) continue;
      for (const auto& [array, counts] : arrays->second) {
        const bool bounds = array == ir::GraphArray::begin || array == ir::GraphArray::r_begin;
        ArrayUse& use = all.emplace_back();
        use.name = i == 0 ? std::string(ir::to_string(array))
                          : fmt::format("{}.{}", procedure_[graph].name, ir::to_string(array));
        use.type = ir::element_type(array);
        use.pattern = pattern(bounds ? symbol('N', graph) + 1 : symbol('E', graph), counts);
        use.pattern.graph_own = true;
        use.graph = use.value_graph = i;
      }
    }
    for (const SymbolId id : procedure_.properties) {
      const auto counts = properties_.find(id);
      const auto group = groups_.find(id);
      const ir::Symbol& property = procedure_[id];
      ArrayUse& use = all.emplace_back();
      use.name = property.name;
      use.type = ir::element_type(property).value;
      use.pattern =
          pattern(elements_of(property), counts == properties_.end() ? Counts{} : counts->second);
      use.pattern.temporary = !property.result && !property.argument;
      use.input = property.argument;
      use.needed = needed_.contains(id);
      // An argument that the procedure may change is also a result.
      use.result = property.result || (property.argument && written_.writes(id));
      use.edges = property.type.at_edges;
      use.graph = number_of(procedure_, property.type.graph);
      use.value_graph = number_of(procedure_, ir::element_type(property).graph);
      if (group != groups_.end()) use.group = procedure_[group->second].name;
    }
    return all;
  }

 private:
  /// A loop around the current statement.
  struct Frame {
    SymbolId iterator;
    Order order;          ///< the order in which a thread accesses elements at the iterator
    std::size_t factor;   ///< index into `factors_` of the loop's iteration count
    bool over_all_nodes;  ///< true if that factor is still this loop's N
  };

  static AccessPattern pattern(const Formula& elements, const Counts& counts) {
    AccessPattern pattern;
    pattern.elements = elements;
    for (const auto& [kind, count] : counts)
      pattern.accesses.push_back({kind.first, kind.second, count});
    return pattern;
  }

  [[nodiscard]] Formula elements_of(const ir::Symbol& property) const {
    return symbol(property.type.at_edges ? 'E' : 'N', property.type.graph);
  }

  /// Symbol for N or E of a graph: N_H for a further graph H, 0 for an empty graph.
  [[nodiscard]] Formula symbol(char letter, SymbolId graph) const {
    if (procedure_[graph].empty_graph) return 0;
    return Formula::symbol(std::string(1, letter) + suffix(graph));
  }
  [[nodiscard]] Formula degree(SymbolId graph) const {
    if (procedure_[graph].empty_graph) return 0;
    return Formula::symbol("deg" + suffix(graph));
  }
  [[nodiscard]] std::string suffix(SymbolId graph) const {
    return number_of(procedure_, graph) == 0 ? "" : "_" + procedure_[graph].name;
  }
  [[nodiscard]] SymbolId graph_of(SymbolId element) const {
    return ir::element_type(procedure_[element]).graph;
  }

  [[nodiscard]] Formula times() const {
    Formula product = 1;
    for (const Formula& factor : factors_) product *= factor;
    return product;
  }

  [[nodiscard]] Order order_at(SymbolId node) const {
    for (const Frame& frame : frames_)
      if (frame.iterator == node) return frame.order;
    const auto known = orders_.find(node);
    return known == orders_.end() ? Order::random : known->second;
  }

  void access(const ir::SymbolAccess& access) {
    const ir::Symbol& symbol = procedure_[access.symbol];
    if (symbol.kind != ir::Symbol::Kind::property || ir::element_type(symbol).shape != Shape::value)
      return;
    const bool whole = access.node == ir::kNoSymbol;
    const Order order = whole ? Order::own : order_at(access.node);
    const Formula count = whole ? times() * elements_of(symbol) : times();
    Counts& counts = properties_[access.symbol];
    counts[{access.writes(), order}] += count;
    if (access.action == ir::Action::combine) counts[{false, order}] += count;
  }

  void graph_use(const ir::GraphUse& use) {
    if (use.array == ir::GraphArray::r_edge_idx) return;  // counted with the loop over in-edges
    const bool bounds = use.array == ir::GraphArray::begin || use.array == ir::GraphArray::r_begin;
    const Order order = use.node == ir::kNoSymbol ? Order::random : order_at(use.node);
    auto& counts = graph_[graph_of(use.of)][use.array];
    if (bounds && !use.search)  // reads begin[node] and begin[node + 1]
      counts[{false, order == Order::own ? Order::near : order}] += 2 * times();
    else
      counts[{false, Order::random}] += times();
  }

  void uses(const ir::Effects& effects) {
    for (const ir::SymbolAccess& one : effects.accesses) access(one);
    for (const ir::GraphUse& one : effects.graph) graph_use(one);
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
      case StmtKind::traversal:
        return traversal(stmt);
      case StmtKind::swap:
        groups_[stmt.symbol] = groups_[stmt.other] = stmt.symbol;
        return;
      default:
        break;
    }
    // The out-edges of a node are contiguous.
    if (stmt.kind == StmtKind::declare && !stmt.exprs.empty() &&
        stmt.exprs[0].kind == ir::ExprKind::edge_of && !stmt.exprs[0].negative)
      orders_[stmt.symbol] = Order::stream;
    uses(ir::effects_here(stmt));
    block(stmt.body);
    block(stmt.otherwise);
  }

  // The loop's symbol counts the executions of its body in the whole run, including all outer
  // loops.
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
    uses(ir::effects_of(stmt.exprs[0]));
    factors_ = factors;
    frames_ = frames;
  }

  void loop(const Stmt& stmt) {
    const auto factors = factors_;
    const auto frames = frames_;
    switch (stmt.range) {
      case Range::nodes:
      case Range::edges:
      case Range::level:  // counts the nodes of all levels
        factors_.push_back(symbol(stmt.range == Range::edges ? 'E' : 'N',
                                  stmt.range == Range::level ? graph_of(stmt.node) : stmt.node));
        frames_.push_back({stmt.symbol,
                           stmt.range == Range::level ? Order::random
                           : stmt.parallel            ? Order::own
                                                      : Order::stream,
                           factors_.size() - 1, stmt.range != Range::edges});
        break;
      case Range::out_nbrs:
      case Range::in_nbrs:
      case Range::up_nbrs:
      case Range::down_nbrs:
        neighbours(stmt);
        break;
      case Range::items:  // upper bound: all nodes
        uses(ir::effects_here(stmt));
        factors_.push_back(symbol('N', graph_of(stmt.node)));
        frames_.push_back({stmt.symbol, Order::random, factors_.size() - 1, false});
        break;
      case Range::common_nbrs:
        for (const SymbolId node : {stmt.node, stmt.other})
          graph_use({.array = ir::GraphArray::begin, .node = node, .of = node});
        factors_.push_back(degree(graph_of(stmt.node)));
        graph_[graph_of(stmt.node)][ir::GraphArray::node_idx][{false, Order::stream}] +=
            2 * times();
        frames_.push_back({stmt.symbol, Order::random, 0, false});
        break;
    }
    block(stmt.body);
    factors_ = factors;
    frames_ = frames;
  }

  void neighbours(const Stmt& stmt) {
    const bool up = stmt.range == Range::up_nbrs, down = stmt.range == Range::down_nbrs;
    const bool in =
        stmt.range == Range::in_nbrs || (up && !stmt.transposed) || (down && stmt.transposed);
    const SymbolId graph = graph_of(stmt.node);
    graph_use({.array = ir::bounds_array(!in), .node = stmt.node, .of = stmt.node});
    Frame* whole = nullptr;
    for (Frame& frame : frames_)
      if (frame.iterator == stmt.node && frame.over_all_nodes) whole = &frame;
    if (whole != nullptr) {
      factors_[whole->factor] = symbol('E', graph);
      whole->over_all_nodes = false;
    } else {
      factors_.push_back(degree(graph));
    }
    graph_[graph][ir::ends_array(!in)][{false, Order::stream}] += times();
    bool asks_for_edges = false;
    ir::for_each_expr_within(stmt.body, [&](const ir::Expr& expr) {
      asks_for_edges = asks_for_edges || (expr.kind == ir::ExprKind::edge_of &&
                                          expr.node == stmt.symbol && expr.negative);
    });
    if (asks_for_edges)
      graph_[graph][ir::GraphArray::r_edge_idx][{false, Order::stream}] += times();
    frames_.push_back({stmt.symbol, Order::random, 0, false});
  }

  // Each node is entered once, and each of its edges is examined.
  void traversal(const Stmt& stmt) {
    uses(ir::effects_of(stmt.exprs[0]));
    const auto factors = factors_;
    const auto frames = frames_;
    const bool out = !stmt.transposed;
    const SymbolId graph = graph_of(stmt.symbol);
    factors_.push_back(symbol('N', graph));
    graph_[graph][ir::bounds_array(out)][{false, Order::random}] += 2 * times();
    factors_.back() = symbol('E', graph);
    graph_[graph][ir::ends_array(out)][{false, Order::stream}] += times();
    block(stmt.condition);
    for (std::size_t i = 1; i < stmt.exprs.size(); ++i) uses(ir::effects_of(stmt.exprs[i]));
    factors_.pop_back();
    if (!stmt.breadth_first) {
      factors_.push_back(symbol('N', graph));
      frames_.push_back({stmt.node, Order::random, factors_.size() - 1, true});
    }
    for (const auto* body : {&stmt.body, &stmt.otherwise}) {
      const auto factors_here = factors_;
      const auto frames_here = frames_;
      block(*body);
      factors_ = factors_here;
      frames_ = frames_here;
    }
    factors_ = factors;
    frames_ = frames;
  }

  const Procedure& procedure_;
  const std::set<SymbolId>& needed_;
  const ir::Effects written_;
  std::vector<Formula> factors_;
  std::vector<Frame> frames_;
  std::map<SymbolId, std::map<ir::GraphArray, Counts>> graph_;
  std::map<SymbolId, Counts> properties_;
  std::map<SymbolId, SymbolId> groups_;
  std::map<SymbolId, Order> orders_;  ///< order of accesses at each variable that holds an edge
};

}  // namespace

std::uint32_t number_of(const Procedure& procedure, SymbolId graph) {
  const auto found = std::ranges::find(procedure.graphs, graph);
  return found == procedure.graphs.end()
             ? 0
             : static_cast<std::uint32_t>(found - procedure.graphs.begin());
}

std::vector<ArrayUse> analyse(const Procedure& procedure, const std::set<SymbolId>& needed) {
  return Analysis(procedure, needed).result();
}

}  // namespace Atoll::greenmarl
