// Classifies the elements that an iteration of a loop accesses: its own, or those of a known level
// of a breadth-first traversal.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A level of a breadth-first traversal, relative to the level of `base`, a node that doesn't
/// change while the loop runs.
struct Level {
  ir::SymbolId traversal;
  ir::SymbolId base;
  int steps = 0;  ///< negative: closer to the root
  friend bool operator==(const Level&, const Level&) = default;
};

/// The levels of nodes that are declared outside a loop.
using Levels = std::map<ir::SymbolId, Level>;

/// Adds the levels that are known inside the loop: of its iterator, and of the node whose
/// neighbours it visits.
void add_levels(const ir::Stmt& loop, Levels& levels);

/// An element relative to one iteration.
struct ElementClass {
  /// Elements that no other iteration accesses through the same kind. An edge has two ends, so it
  /// can be an out-edge of one iteration's node and an in-edge of another's.
  enum class Own : std::uint8_t { no, element, out_edge, in_edge, edge_to_it };
  Own own = Own::no;
  std::optional<Level> level;

  [[nodiscard]] bool known() const { return own != Own::no || level; }
};

/// True if two iterations of one loop may access the same element through `a` and `b`.
[[nodiscard]] bool may_alias(const ElementClass& a, const ElementClass& b);

/// Determines for the symbols in a loop's body which elements they denote.
class ElementClassifier {
 public:
  ElementClassifier(const ir::Stmt& loop, const Levels& around);
  [[nodiscard]] ElementClass of(ir::SymbolId element) const;

 private:
  void add_symbols_of(const ir::Stmt& stmt);
  void add_neighbours_of(const ir::Stmt& loop);

  std::map<ir::SymbolId, ElementClass> classes_;
  std::map<ir::SymbolId, ElementClass::Own> edges_;  ///< for iterators: kind of the edge to them
};

}  // namespace Atoll::greenmarl
