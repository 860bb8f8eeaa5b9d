// Each Foreach is checked against everything within it. Inner Foreach loops run in one thread, so
// being unordered changes nothing for them.
#include "greenmarl/check_races.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "greenmarl/walk.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::ArrayAccess;
using ir::Effects;
using ir::Procedure;
using ir::Stmt;
using ir::StmtKind;
using ir::SymbolId;

class Checker {
 public:
  explicit Checker(const Procedure& procedure) : procedure_(procedure) {}

  void block(const std::vector<Stmt>& statements) {
    for (const Stmt& stmt : statements) {
      if (stmt.kind == StmtKind::loop) check_deferred(stmt);
      const bool unordered = stmt.kind == StmtKind::loop && stmt.unordered;
      if (unordered) check(stmt);
      around_ += unordered;
      block(stmt.condition);
      block(stmt.body);
      block(stmt.otherwise);
      around_ -= unordered;
    }
  }

 private:
  [[nodiscard]] const std::string& name(SymbolId id) const { return procedure_[id].name; }
  [[noreturn]] void error(Position at, std::string_view message, std::string_view way_out) const {
    fail(*procedure_.source, at, message, way_out);
  }

  // Checks what is deferred until this loop ends: the loop assigns the property in no other way,
  // and is in no Foreach.
  void check_deferred(const Stmt& loop) const {
    const Effects effects = ir::effects_of(loop.body);
    for (const ArrayAccess& deferred : effects.accesses) {
      if (deferred.bound != loop.symbol) continue;
      if (around_ > 0)
        fail_unsupported(*procedure_.source, deferred.at,
                         "deferring until the end of an inner loop",
                         "bind it to the outermost Foreach");
      for (const ArrayAccess& other : effects.accesses)
        if (other.array == deferred.array && other.write && other.bound != deferred.bound)
          error(other.at,
                fmt::format("'{}' is assigned in two ways in the loop over '{}'", name(other.array),
                            name(loop.symbol)),
                fmt::format("defer all of its assignments until this loop ends: <= … @ {}",
                            name(loop.symbol)));
    }
  }

  void check(const Stmt& loop) const {
    const Effects effects = ir::effects_of(loop.body);
    check_variables(loop, effects);
    for (const ArrayAccess& access : effects.accesses)
      if (access.write) check_write(loop, access, effects);
  }

  void check_variables(const Stmt& loop, const Effects& effects) const {
    for (const auto& [variable, assignments] : effects.assigned) {
      if (effects.declared.contains(variable)) continue;
      for (const ir::Assignment& assignment : assignments) {
        if (assignment.op == AssignOp::set)
          error(
              assignment.at,
              fmt::format("data race: iterations of the Foreach over '{}' assign '{}' in no order",
                          name(loop.symbol), name(variable)),
              "declare it in the loop, combine with += *= min= max= &= |=, or use For");
        if (assignment.op != assignments.front().op)
          error(assignment.at,
                fmt::format("'{}' is combined with {} and {} in one Foreach", name(variable),
                            to_string(assignments.front().op), to_string(assignment.op)),
                "use one operator, or two variables");
      }
      if (const auto read = effects.read.find(variable); read != effects.read.end())
        error(
            read->second,
            fmt::format("data race: '{}' is read while iterations of the Foreach over '{}' combine "
                        "into it",
                        name(variable), name(loop.symbol)),
            "read it after the loop, or use For");
    }
  }

  void check_write(const Stmt& loop, const ArrayAccess& write, const Effects& effects) const {
    const bool own = write.node == loop.symbol;
    const std::string target = fmt::format("{}.{}", name(write.node), name(write.array));
    if (!own && write.op == AssignOp::set)
      error(
          write.at,
          fmt::format("data race: iterations of the Foreach over '{}' may assign '{}' of one node",
                      name(loop.symbol), target),
          fmt::format("assign to '{}.{}' only, or use For", name(loop.symbol), name(write.array)));
    if (!own && loop.parallel)
      fail_unsupported(*procedure_.source, write.at,
                       fmt::format("combining into '{}', a property of another node,", target),
                       "let each node combine what its InNbrs have, or use For");
    if (write.bound != ir::kNoSymbol) return;  // no iteration sees it before the loop ends
    for (const ArrayAccess& other : effects.accesses) {
      if (other.array != write.array) continue;
      const bool both_own = own && other.node == loop.symbol;
      if (!other.write && !both_own)
        error(other.at,
              fmt::format("data race: '{}' is written as '{}' and read as '{}.{}' in one Foreach",
                          name(write.array), target, name(other.node), name(other.array)),
              fmt::format("defer the assignment: {}.{} <= … @ {}", name(loop.symbol),
                          name(write.array), name(loop.symbol)));
      if (other.write && !both_own && other.op != write.op)
        error(other.at,
              fmt::format("'{}' is combined with {} and {} in one Foreach", name(write.array),
                          to_string(write.op), to_string(other.op)),
              "use one operator, or two properties");
    }
  }

  const Procedure& procedure_;
  int around_ = 0;  ///< the number of Foreach loops around the statement
};

}  // namespace

void check_races(const Procedure& procedure) {
  Checker(procedure).block(procedure.body);
}

}  // namespace Atoll::greenmarl
