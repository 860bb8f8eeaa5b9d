// Walks the statements in order, with the set of elements that are written on every path.
#include "greenmarl/needed_inputs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "greenmarl/effects.hpp"

namespace Atoll::greenmarl::ir {
namespace {

/// An element of a property. `bound` is the loop whose end performs the assignment if it is
/// deferred.
struct Element {
  SymbolId property, node, bound;
  auto operator<=>(const Element&) const = default;
};

struct Written {
  std::set<SymbolId> whole;
  std::set<Element> elements;
  bool unreachable = false;

  [[nodiscard]] bool has(SymbolId property, SymbolId node) const {
    return unreachable || whole.contains(property) ||
           elements.contains({property, node, kNoSymbol});
  }
  /// Intersects the state with that of another path.
  void intersect(const Written& other) {
    if (other.unreachable) return;
    if (unreachable) {
      *this = other;
      return;
    }
    std::erase_if(whole, [&](SymbolId id) { return !other.whole.contains(id); });
    std::erase_if(elements, [&](const Element& one) { return !other.elements.contains(one); });
  }
  /// Drops elements at a variable whose value changes.
  void forget(SymbolId node) {
    std::erase_if(elements, [&](const Element& one) { return one.node == node; });
  }
};

class Search {
 public:
  explicit Search(const Procedure& procedure) : procedure_(procedure) { block(procedure.body); }
  [[nodiscard]] const std::set<SymbolId>& needed() const { return needed_; }

 private:
  void read(SymbolId property, SymbolId node) {
    const Symbol& symbol = procedure_[property];
    if (symbol.kind == Symbol::Kind::property && symbol.argument && !written_.has(property, node) &&
        element_type(symbol).shape == Shape::value)
      needed_.insert(property);
  }
  void read(const Expr& expr) {
    for (const SymbolAccess& access : effects_of(expr).accesses)
      if (!access.writes()) read(access.symbol, access.node);
  }
  void read(const Stmt& stmt) {
    for (const Expr& expr : stmt.exprs) read(expr);
  }
  void write(SymbolId property, SymbolId node, SymbolId bound) {
    written_.elements.insert({property, node, bound});
  }

  void block(const std::vector<Stmt>& statements) {
    for (const Stmt& stmt : statements) statement(stmt);
  }
  /// Drops elements at variables that the statements assign.
  void forget_assigned(const std::vector<Stmt>& statements) {
    for (const auto& [symbol, assignments] : effects_of(statements).assigned)
      written_.forget(symbol);
  }
  /// Visits statements that may run any number of times, including never.
  void visit_conditional(const std::vector<Stmt>& statements) {
    forget_assigned(statements);
    const Written before = written_;
    block(statements);
    written_ = before;
  }
  void evaluate_condition(const Stmt& stmt) {
    block(stmt.condition);
    read(stmt);
  }
  void while_loop(const Stmt& stmt) {
    evaluate_condition(stmt);
    forget_assigned(stmt.body);
    const Written before = written_;
    block(stmt.body);
    evaluate_condition(stmt);
    written_ = before;
  }
  /// Visits the body as its first iteration and as a later one, whose variables have other values.
  /// A body that is nested deeply is visited once: two visits of each would take exponential time.
  void do_while_loop(const Stmt& stmt) {
    const bool is_deep = depth_ >= kMaxVisitedTwice;
    ++depth_;
    if (is_deep) forget_assigned(stmt.body);
    block(stmt.body);
    evaluate_condition(stmt);
    if (!is_deep) {
      const Written once = written_;
      block(stmt.body);
      evaluate_condition(stmt);
      written_.intersect(once);
    }
    --depth_;
  }

  void statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::write:
        read(stmt);
        if (stmt.op != AssignOp::set) read(stmt.symbol, stmt.node);
        return write(stmt.symbol, stmt.node, stmt.bound);
      case StmtKind::best:
        read(stmt);
        if (stmt.group[0].node != kNoSymbol) read(stmt.group[0].symbol, stmt.group[0].node);
        for (const Place& place : stmt.group)
          if (place.node == kNoSymbol) written_.forget(place.symbol);
        return;
      case StmtKind::fill:
        read(stmt);
        written_.whole.insert(stmt.symbol);
        return;
      case StmtKind::copy:
        read(stmt.other, kNoSymbol);
        written_.whole.insert(stmt.symbol);
        return;
      case StmtKind::foreign:
        return foreign(stmt);
      case StmtKind::loop:
        return loop(stmt);
      case StmtKind::traversal:
        for (const Expr& expr : stmt.exprs) read(expr);
        visit_conditional(stmt.condition);
        visit_conditional(stmt.body);
        return visit_conditional(stmt.otherwise);
      case StmtKind::if_:
        return branches(stmt);
      case StmtKind::while_:
        return while_loop(stmt);
      case StmtKind::do_while:
        return do_while_loop(stmt);
      case StmtKind::region:
        return region(stmt);
      case StmtKind::leave: {
        const auto [way, is_first] = left_.emplace(stmt.symbol, written_);
        if (!is_first) way->second.intersect(written_);
        written_.unreachable = true;
        return;
      }
      case StmtKind::return_:
        read(stmt);
        written_.unreachable = true;
        return;
      case StmtKind::declare:
      case StmtKind::assign:
        read(stmt);
        return written_.forget(stmt.symbol);
      case StmtKind::map_write:
      case StmtKind::take:
      case StmtKind::call:
      case StmtKind::swap:
        return read(stmt);
    }
  }

  /// Foreign text that lists its changes assigns these without reading them.
  void foreign(const Stmt& stmt) {
    const auto changes = [&](const SymbolAccess& access) {
      return std::ranges::find(stmt.group, Place{access.symbol, access.node}) != stmt.group.end();
    };
    for (const SymbolAccess& access : effects_of(stmt.exprs[0]).accesses)
      if (!access.writes() && !changes(access)) read(access.symbol, access.node);
    for (const Place& place : stmt.group) {
      if (place.node != kNoSymbol)
        write(place.symbol, place.node, kNoSymbol);
      else if (procedure_[place.symbol].kind == Symbol::Kind::property)
        written_.whole.insert(place.symbol);
      else
        written_.forget(place.symbol);
    }
  }

  void branches(const Stmt& stmt) {
    read(stmt);
    const Written before = written_;
    block(stmt.body);
    const Written then = std::exchange(written_, before);
    block(stmt.otherwise);
    written_.intersect(then);
  }

  void region(const Stmt& stmt) {
    block(stmt.body);
    if (const auto way = left_.find(stmt.symbol); way != left_.end()) {
      written_.intersect(way->second);
      left_.erase(way);
    }
  }

  void loop(const Stmt& stmt) {
    forget_assigned(stmt.body);
    const Written before = written_;
    written_.forget(stmt.symbol);
    block(stmt.body);
    const Written once = std::exchange(written_, before);
    if (once.unreachable) return;
    for (const Element& one : once.elements)
      if (one.node == stmt.symbol && (one.bound == kNoSymbol || one.bound == stmt.symbol) &&
          covers(stmt, one.property))
        written_.whole.insert(one.property);
  }

  /// True if the loop visits all elements of the property.
  [[nodiscard]] bool covers(const Stmt& loop, SymbolId property) const {
    const Type& type = procedure_[property].type;
    return type.graph == loop.node && loop.range == (type.at_edges ? Range::edges : Range::nodes);
  }

  static constexpr int kMaxVisitedTwice = 6;

  const Procedure& procedure_;
  Written written_;
  int depth_ = 0;                     ///< loops of the kind do_while around the statement
  std::map<SymbolId, Written> left_;  ///< for each label: state on the jumps to it
  std::set<SymbolId> needed_;
};

}  // namespace

std::set<SymbolId> needed_inputs(const Procedure& procedure) {
  return Search(procedure).needed();
}

}  // namespace Atoll::greenmarl::ir
