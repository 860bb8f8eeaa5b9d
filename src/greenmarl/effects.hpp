// Effects of each kind of statement, call and built-in: reads, assignments, combining writes and
// changes. The race check, the passes, the access patterns and the emitter all use this definition.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl::ir {

/// The kind of access to a variable, a property's element or a collection.
enum class Action : std::uint8_t {
  read,
  assign,   ///< assigns a value that doesn't depend on the old one
  combine,  ///< combines with `op`, in any order
  change,   ///< changes a collection or map through `builtin`
};

/// One access to a property, a collection or a map.
struct SymbolAccess {
  SymbolId symbol;
  SymbolId node;  ///< a property's node or a map's key; kNoSymbol: all, or unknown
  Action action = Action::read;
  AssignOp op = AssignOp::set;            ///< for combine
  Builtin builtin = Builtin::node_count;  ///< for change
  SymbolId bound;                         ///< for a deferred write
  Position at;
  bool group = false;  ///< assigned together with others by `best`

  [[nodiscard]] bool writes() const { return action != Action::read; }
};

struct Assignment {
  AssignOp op;
  Position at;
  bool group = false;  ///< as in SymbolAccess
};

/// An access to the graph's own arrays at a node.
struct GraphUse {
  GraphArray array;
  SymbolId node;        ///< kNoSymbol: any node
  SymbolId of;          ///< a node, edge or traversal of the accessed graph
  bool search = false;  ///< searches the node's edges instead of reading one element
};

/// The effects of statements on their surroundings.
struct Effects {
  std::set<SymbolId> declared;  ///< variables, iterators and collections
  std::map<SymbolId, Position> read;
  std::map<SymbolId, std::vector<Assignment>> assigned;
  std::vector<SymbolAccess> accesses;
  std::vector<GraphUse> graph;
  std::set<SymbolId> traversals;  ///< traversals whose levels are read
  bool may_fail = false;          ///< may stop the program
  bool returns = false;           ///< may leave the statements early
  bool draws = false;             ///< draws random numbers
  bool foreign = false;           ///< contains foreign text, which the compiler doesn't parse
  bool traverses = false;         ///< contains a whole traversal

  [[nodiscard]] bool writes(SymbolId symbol) const;
  [[nodiscard]] bool reads(SymbolId symbol) const;
  [[nodiscard]] bool touches(SymbolId symbol) const { return writes(symbol) || reads(symbol); }
  /// True if all accesses to `symbol` are at `node`.
  [[nodiscard]] bool only_at(SymbolId symbol, SymbolId node) const;
  /// True if the order relative to other statements matters beyond reads and writes.
  [[nodiscard]] bool ordered() const { return draws || foreign || traverses || returns; }
};
[[nodiscard]] Effects effects_of(const std::vector<Stmt>& statements);
[[nodiscard]] Effects effects_of(const Stmt& statement);
/// The effects of this statement without its nested statements.
[[nodiscard]] Effects effects_here(const Stmt& statement);
[[nodiscard]] Effects effects_of(const Expr& expr);

/// True if the expression stops the program for some operands.
[[nodiscard]] bool may_fail(const Expr& expr);

}  // namespace Atoll::greenmarl::ir
