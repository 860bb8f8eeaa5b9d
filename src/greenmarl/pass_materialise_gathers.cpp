#include "greenmarl/pass_materialise_gathers.hpp"

#include <set>

#include "greenmarl/effects.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

/// The data that an expression reads.
struct Needs {
  std::set<SymbolId> nodes, scalars, arrays;
  bool degrees_out = false, degrees_in = false, divides = false;
  bool other = false;  ///< reads something that is unknown, or differs between threads or edges

  [[nodiscard]] std::size_t arrays_read() const {
    return arrays.size() + (degrees_out ? 1 : 0) + (degrees_in ? 1 : 0);
  }
};

Needs needs_of(const Expr& whole) {
  Needs needs;
  ir::for_each_expr(whole, [&](const Expr& expr) {
    if (expr.kind == ExprKind::node) needs.nodes.insert(expr.symbol);
    if (expr.node != ir::kNoSymbol) needs.nodes.insert(expr.node);
    if (expr.kind == ExprKind::scalar) needs.scalars.insert(expr.symbol);
    if (expr.kind == ExprKind::property) needs.arrays.insert(expr.symbol);
    needs.degrees_out |= ir::is(expr, Builtin::out_degree);
    needs.degrees_in |= ir::is(expr, Builtin::in_degree);
    needs.other |= expr.kind == ExprKind::edge_of || expr.kind == ExprKind::collection ||
                   expr.kind == ExprKind::foreign || expr.checked ||
                   (expr.kind == ExprKind::builtin && !ir::is(expr, Builtin::out_degree) &&
                    !ir::is(expr, Builtin::in_degree));
    needs.divides |= expr.kind == ExprKind::binary && expr.binary == BinaryOp::divide;
  });
  return needs;
}

Type property_of(const Type& element, SymbolId graph) {
  Type type;
  type.shape = Shape::property;
  type.graph = graph;
  type.of.push_back(element);
  return type;
}

class Materialiser {
 public:
  Materialiser(Procedure& procedure, Stmt& loop)
      : procedure_(procedure), loop_(loop), effects_(ir::effects_of(loop)) {}

  /// Returns the loops that compute the arrays, for insertion before this loop.
  std::vector<Stmt> run() {
    if (!effects_.ordered()) block(loop_.body, true);
    return std::move(before_);
  }

 private:
  struct Done {
    Expr expr;  ///< with the iterator `node`
    SymbolId node;
    SymbolId array;
  };

  void block(std::vector<Stmt>& statements, bool always) {
    for (Stmt& stmt : statements) {
      const bool is_loop = stmt.kind == StmtKind::loop;
      if (is_loop && (stmt.range == Range::nodes || stmt.range == Range::out_nbrs ||
                      stmt.range == Range::in_nbrs))
        inner_.insert(stmt.symbol);
      const bool repeated = stmt.kind == StmtKind::while_ || stmt.kind == StmtKind::do_while;
      if (always && !repeated)
        for (Expr& expr : stmt.exprs) expression(expr);
      block(stmt.body, always && is_loop);
      block(stmt.otherwise, false);
    }
  }

  void expression(Expr& expr) {
    if (should_materialise(expr)) return replace(expr);
    const bool first_only = expr.kind == ExprKind::conditional ||
                            (expr.kind == ExprKind::binary && !is_arithmetic(expr.binary) &&
                             !is_comparison(expr.binary));
    for (std::size_t i = 0; i < expr.args.size(); ++i)
      if (i == 0 || !first_only) expression(expr.args[i]);
  }

  [[nodiscard]] bool should_materialise(const Expr& expr) const {
    if (!is_numeric(expr.type) || ir::may_fail(expr)) return false;
    const Needs needs = needs_of(expr);
    if (needs.other) return false;
    if (needs.nodes.size() != 1 || !inner_.contains(*needs.nodes.begin())) return false;
    for (const SymbolId scalar : needs.scalars)
      if (effects_.declared.contains(scalar) || effects_.assigned.contains(scalar)) return false;
    for (const SymbolId array : needs.arrays)
      if (effects_.writes(array)) return false;
    return needs.arrays_read() > 1 || (needs.divides && needs.arrays_read() == 1);
  }

  void replace(Expr& expr) {
    const Needs needs = needs_of(expr);
    const SymbolId far = *needs.nodes.begin();
    SymbolId array = ir::kNoSymbol;
    for (const Done& done : done_) {
      Expr same = expr;
      ir::replace_symbol(same, far, done.node);
      if (same == done.expr) array = done.array;
    }
    if (array == ir::kNoSymbol) array = compute(expr, far, needs);
    expr = ir::property(procedure_, array, far, expr.at);
  }

  SymbolId compute(Expr expr, SymbolId far, const Needs& needs) {
    const std::string from =
        needs.arrays.empty() ? "degree" : procedure_[*needs.arrays.begin()].name;
    const SymbolId array =
        procedure_.add_property(from + "_term", property_of(expr.type, procedure_[far].type.graph));
    ir::Symbol iterator = procedure_[far];
    const SymbolId node = procedure_.add(std::move(iterator));
    ir::replace_symbol(expr, far, node);
    done_.push_back({expr, node, array});
    const Position at = expr.at;
    before_.push_back(ir::for_all_nodes(
        procedure_, node, {ir::write(array, node, AssignOp::set, std::move(expr), at)}, at));
    return array;
  }

  Procedure& procedure_;
  Stmt& loop_;
  ir::Effects effects_;
  std::set<SymbolId> inner_;  ///< iterators of inner loops
  std::vector<Done> done_;
  std::vector<Stmt> before_;
};

}  // namespace

void materialise_gathers(Procedure& procedure) {
  ir::for_each_sequential_block(procedure.body, [&](std::vector<Stmt>& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (block[i].kind != StmtKind::loop || block[i].range != Range::nodes) continue;
      const std::vector<Stmt> before = Materialiser(procedure, block[i]).run();
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), before.begin(), before.end());
      i += before.size();
    }
  });
}

}  // namespace Atoll::greenmarl
