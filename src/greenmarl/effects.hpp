// What each statement, call and built-in reads, assigns, combines and changes. It is said here,
// once for each kind; the race check, the passes, the access patterns and the emitter ask.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl::ir {

/// What happens to a variable, a property's element or a collection.
enum class Action : std::uint8_t {
  read,
  assign,   ///< it gets a value that doesn't depend on its old one
  combine,  ///< with `op`, in any order
  change,   ///< a collection or map is changed by `builtin`
};

/// One access to a property, a collection or a map.
struct Access {
  SymbolId symbol;
  SymbolId node;  ///< the element of a property, or a map's key; kNoSymbol: all, or unknown
  Action action = Action::read;
  AssignOp op = AssignOp::set;            ///< of combine
  Builtin builtin = Builtin::node_count;  ///< of change
  SymbolId bound;                         ///< for a deferred write
  Position at;
  bool group = false;  ///< it is assigned together with others, `best`

  [[nodiscard]] bool writes() const { return action != Action::read; }
};

struct Assignment {
  AssignOp op;
  Position at;
  bool group = false;  ///< as in Access
};

/// A use of the graph's own arrays at a node.
struct GraphUse {
  GraphArray array;
  SymbolId node;        ///< kNoSymbol: anywhere
  SymbolId of;          ///< a node, edge or traversal of the graph
  bool search = false;  ///< a search through the node's edges, not one element
};

/// The effects of statements, as seen from outside.
struct Effects {
  std::set<SymbolId> declared;  ///< variables, iterators and collections
  std::map<SymbolId, Position> read;
  std::map<SymbolId, std::vector<Assignment>> assigned;
  std::vector<Access> accesses;
  std::vector<GraphUse> graph;
  std::set<SymbolId> traversals;  ///< whose levels it reads
  bool may_fail = false;          ///< it may stop the program
  bool returns = false;           ///< it may leave the statements early
  bool draws = false;             ///< it draws random numbers
  bool foreign = false;           ///< it has text that nobody here understands
  bool traverses = false;         ///< it has a whole traversal

  [[nodiscard]] bool writes(SymbolId symbol) const;
  [[nodiscard]] bool reads(SymbolId symbol) const;
  [[nodiscard]] bool touches(SymbolId symbol) const { return writes(symbol) || reads(symbol); }
  /// True if every access to it is at `node`.
  [[nodiscard]] bool only_at(SymbolId symbol, SymbolId node) const;
  /// True if the order of these statements and others matters beyond what they read and write.
  [[nodiscard]] bool ordered() const { return draws || foreign || traverses || returns; }
};
[[nodiscard]] Effects effects_of(const std::vector<Stmt>& statements);
[[nodiscard]] Effects effects_of(const Stmt& statement);
/// Of this statement without those within it.
[[nodiscard]] Effects effects_here(const Stmt& statement);
[[nodiscard]] Effects effects_of(const Expr& expr);

/// True if the expression has no value for some operands: the program fails there.
[[nodiscard]] bool may_fail(const Expr& expr);

}  // namespace Atoll::greenmarl::ir
