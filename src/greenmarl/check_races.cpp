// Checks each Foreach. Compares every two accesses in its body to the same symbol by two
// iterations, of which at least one writes.
#include "greenmarl/check_races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "greenmarl/effects.hpp"
#include "greenmarl/element_class.hpp"
#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Action;
using ir::Effects;
using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolAccess;
using ir::SymbolId;

/// One access to a symbol that is declared outside the loop.
struct Use {
  SymbolAccess access;
  ElementClass where;
};

using Uses = std::map<SymbolId, std::vector<Use>>;

Uses uses_of(const Stmt& loop, const Levels& around) {
  const Effects effects = ir::effects_of(loop.body);
  const ElementClassifier places(loop, around);
  Uses uses;
  for (const SymbolAccess& access : effects.accesses)
    if (!effects.declared.contains(access.symbol))
      uses[access.symbol].push_back({access, places.of(access.node)});
  for (const auto& [variable, assignments] : effects.assigned) {
    if (effects.declared.contains(variable)) continue;
    for (const ir::Assignment& assignment : assignments)
      uses[variable].push_back(
          {{.symbol = variable,
            .node = {},
            .action = assignment.op == AssignOp::set ? Action::assign : Action::combine,
            .op = assignment.op,
            .bound = {},
            .at = assignment.at,
            .group = assignment.group},
           {}});
    if (const auto read = effects.read.find(variable); read != effects.read.end())
      uses[variable].push_back(
          {{.symbol = variable, .node = {}, .bound = {}, .at = read->second}, {}});
  }
  return uses;
}

class Checker {
 public:
  Checker(const Procedure& procedure, Diagnostics& diagnostics)
      : procedure_(procedure), diagnostics_(diagnostics) {}

  /// Checks the loops in these statements, recursively. `around` has the levels of nodes that are
  /// declared outside.
  void block(const std::vector<Stmt>& statements, const Levels& around) {
    for (const Stmt& stmt : statements) {
      if (stmt.kind == StmtKind::loop || stmt.kind == StmtKind::traversal) check_deferred(stmt);
      if (stmt.kind == StmtKind::loop && stmt.unordered) check(stmt, around);
      Levels within = around;
      if (stmt.kind == StmtKind::loop) add_levels(stmt, within);
      block(stmt.condition, around);
      block(stmt.body, within);
      block(stmt.otherwise, around);
    }
  }

 private:
  [[nodiscard]] const std::string& name(SymbolId id) const { return procedure_[id].name; }
  /// Returns the accessed variable or element, as written in the program.
  [[nodiscard]] std::string target(const SymbolAccess& access) const {
    const ir::Symbol& symbol = procedure_[access.symbol];
    if (access.node == ir::kNoSymbol || symbol.kind != ir::Symbol::Kind::property)
      return symbol.name;
    const ir::Symbol& node = procedure_[access.node];
    return fmt::format("{}.{}", node.written.empty() ? node.name : node.written, symbol.name);
  }

  /// True if the element is assigned by a group assignment: G.p = …
  [[nodiscard]] bool is_of_group(const SymbolAccess& access) const {
    return access.node != ir::kNoSymbol && !procedure_[access.node].written.empty() &&
           procedure_[access.node].kind == ir::Symbol::Kind::iterator;
  }

  /// Returns the iterator's name; for a breadth-first traversal, that of the loop over a level.
  [[nodiscard]] const std::string& iterator_of(const Stmt& loop) const {
    if (loop.kind == StmtKind::loop) return name(loop.symbol);
    if (!loop.breadth_first) return name(loop.node);
    for (const Stmt& level : loop.body)
      if (level.kind == StmtKind::loop) return name(level.symbol);
    return name(loop.symbol);
  }

  // Checks deferred assignments that take effect when this loop ends: the loop must not assign the
  // property otherwise.
  void check_deferred(const Stmt& loop) {
    std::vector<SymbolAccess> accesses = ir::effects_of(loop.body).accesses;
    std::ranges::move(ir::effects_of(loop.otherwise).accesses, std::back_inserter(accesses));
    const std::string iterator = iterator_of(loop);
    for (const SymbolAccess& deferred : accesses) {
      if (deferred.bound != loop.symbol) continue;
      for (const SymbolAccess& other : accesses)
        if (other.symbol == deferred.symbol && other.writes() && other.bound != deferred.bound)
          diagnostics_.error(
              other.at,
              fmt::format("'{}' is assigned in two ways in the loop over '{}'", name(other.symbol),
                          iterator),
              fmt::format("defer all of its assignments until this loop ends: <= … @ {}",
                          iterator));
    }
  }

  /// Reports at most one conflict for each symbol, since the others follow from it. Errors take
  /// precedence over warnings.
  void check(const Stmt& loop, const Levels& around) {
    check_groups(loop);
    for (const auto& [symbol, uses] : uses_of(loop, around)) {
      std::optional<Conflict> worst;
      for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t j = i; j < uses.size(); ++j) {
          if (!may_alias(uses[i].where, uses[j].where)) continue;
          // The write is the first access; of two writes, the combining one is.
          const bool swapped =
              !uses[i].access.writes() ||
              (uses[i].access.action == Action::assign && uses[j].access.action == Action::combine);
          auto conflict =
              conflict_of(loop, uses[swapped ? j : i].access, uses[swapped ? i : j].access);
          if (conflict && (!worst || (conflict->error && !worst->error)))
            worst = std::move(conflict);
        }
      if (!worst) continue;
      if (worst->error)
        diagnostics_.error(worst->at, worst->message, worst->way_out);
      else
        diagnostics_.warning(worst->at, worst->message, worst->way_out);
    }
  }

  // The variables of a group are compared and assigned together. All of them must be local to the
  // iteration, or all shared.
  void check_groups(const Stmt& loop) {
    const Effects effects = ir::effects_of(loop.body);
    ir::for_each_stmt(loop.body, [&](const Stmt& stmt) {
      if (stmt.kind != StmtKind::best) return;
      for (const ir::Place& place : stmt.group) {
        const bool first_is_own = effects.declared.contains(stmt.group[0].symbol);
        if (place.node != ir::kNoSymbol || effects.declared.contains(place.symbol) == first_is_own)
          continue;
        const SymbolId own = first_is_own ? stmt.group[0].symbol : place.symbol;
        return diagnostics_.error(
            stmt.at,
            fmt::format("'{}' is of one iteration of {}, and is assigned together with what is of "
                        "all",
                        name(own), text_of(loop)),
            "declare all of them in the loop, or all before it");
      }
    });
  }

  struct Conflict {
    bool error = false;
    Position at;
    std::string message, way_out;
  };

  /// Returns "the Foreach over 't'".
  [[nodiscard]] std::string text_of(const Stmt& loop) const {
    if (is_group_assignment(loop))
      return fmt::format("this assignment to all of '{}'", name(loop.node));
    return fmt::format("the {} over '{}'", loop.range == Range::level ? "InBFS" : "Foreach",
                       name(loop.symbol));
  }

  /// True for G.p = …, whose iterator has the position of the whole statement.
  [[nodiscard]] bool is_group_assignment(const Stmt& loop) const {
    const Position at = procedure_[loop.symbol].at;
    return at.line == loop.at.line && at.column == loop.at.column;
  }

  [[nodiscard]] std::optional<Conflict> conflict_of(const Stmt& loop, const SymbolAccess& write,
                                                    const SymbolAccess& other) const {
    if (!write.writes()) return std::nullopt;
    // Deferred writes aren't visible before the loop ends.
    if (write.bound != ir::kNoSymbol && !other.writes()) return std::nullopt;
    if (write.action == Action::combine) return with_combining(loop, write, other);
    if (write.action == Action::change || other.action == Action::change)
      return with_changing(loop, write, other);
    if (other.action != Action::read)
      return Conflict{false, write.at,
                      fmt::format("iterations of {} may assign the same '{}', in no order",
                                  text_of(loop), target(write)),
                      "combine with += *= min= max= &= |=, declare it in the loop, or use For"};
    std::string way_out = "declare it in the loop, or use For";
    if (is_group_assignment(loop))
      way_out = "assign to a second property, or write Foreach and <=";
    else if (write.node != ir::kNoSymbol && (loop.range == Range::level || is_of_group(write)))
      way_out = "assign to a second property";
    else if (write.node != ir::kNoSymbol)
      way_out = fmt::format("defer the assignment: {} <= … @ {}", target(write), name(loop.symbol));
    return Conflict{false, other.at,
                    fmt::format("'{}' is read while iterations of {} assign '{}', in no order",
                                target(other), text_of(loop), target(write)),
                    std::move(way_out)};
  }

  [[nodiscard]] std::optional<Conflict> with_combining(const Stmt& loop, const SymbolAccess& write,
                                                       const SymbolAccess& other) const {
    if (other.action == Action::read)
      return Conflict{true, other.at,
                      fmt::format("data race: '{}' is read while iterations of {} combine into it",
                                  target(other), text_of(loop)),
                      "read it after the loop, or use For"};
    if (other.action == Action::combine && other.op != write.op)
      return Conflict{true, other.at,
                      fmt::format("'{}' is combined with {} and {} in {}", name(write.symbol),
                                  to_string(write.op), to_string(other.op), text_of(loop)),
                      "use one operator, or two targets"};
    if (other.action == Action::assign || other.action == Action::change)
      return Conflict{
          true, other.at,
          fmt::format("data race: '{}' is assigned while iterations of {} combine into it",
                      target(other), text_of(loop)),
          "assign it before or after the loop, or use For"};
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Conflict> with_changing(const Stmt& loop, const SymbolAccess& write,
                                                      const SymbolAccess& other) const {
    if (write.action == Action::assign || other.action == Action::assign)
      return Conflict{true, (write.action == Action::assign ? write : other).at,
                      fmt::format("data race: '{}' is assigned while iterations of {} change it",
                                  target(write), text_of(loop)),
                      "assign it before or after the loop, or use For"};
    if (other.action == Action::read)
      return Conflict{false, other.at,
                      fmt::format("'{}' is read while iterations of {} change it, in no order",
                                  target(other), text_of(loop)),
                      "read it after the loop, or use For"};
    if (other.builtin != write.builtin)
      return Conflict{false, other.at,
                      fmt::format("iterations of {} change '{}' in two ways, in no order",
                                  text_of(loop), target(write)),
                      "change it in one way, or use For"};
    return std::nullopt;
  }

  const Procedure& procedure_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_races(const Procedure& procedure, Diagnostics& diagnostics) {
  Checker(procedure, diagnostics).block(procedure.body, {});
}

std::set<SymbolId> shared_by_iterations(const Procedure& procedure, const Stmt& loop) {
  std::set<SymbolId> shared;
  for (const auto& [symbol, uses] : uses_of(loop, {})) {
    if (procedure[symbol].kind == ir::Symbol::Kind::scalar) continue;
    // Inserting an entry moves other entries of a map, including entries that only one iteration
    // accesses.
    const bool is_map = procedure[symbol].kind == ir::Symbol::Kind::map;
    for (const Use& a : uses)
      for (const Use& b : uses)
        if (a.access.writes() && (is_map || may_alias(a.where, b.where))) shared.insert(symbol);
  }
  return shared;
}

}  // namespace Atoll::greenmarl
