// Elements that the iterations of one loop reach: their own, or those of a known level of a
// breadth-first traversal.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// A level of a breadth-first traversal, counted from that of `base`. The base is a node that does
/// not change while the loop runs.
struct Level {
  ir::SymbolId traversal;
  ir::SymbolId base;
  int steps = 0;  ///< negative: nearer to the root
  friend bool operator==(const Level&, const Level&) = default;
};

/// The levels of nodes that are declared around a loop.
using Levels = std::map<ir::SymbolId, Level>;

/// Adds the levels that hold within the loop: of its iterator, and of the node that it runs from.
void add_levels(const ir::Stmt& loop, Levels& levels);

/// An element, as seen from one iteration.
struct Where {
  /// Elements that no other iteration reaches in the same way. An edge has two ends, so the same
  /// edge may be an out-edge of one iteration's node and an in-edge of another one's.
  enum class Own : std::uint8_t { no, element, out_edge, in_edge, edge_to_it };
  Own own = Own::no;
  std::optional<Level> level;

  [[nodiscard]] bool known() const { return own != Own::no || level; }
};

/// True if two iterations of one loop may reach one element so.
[[nodiscard]] bool may_meet(const Where& a, const Where& b);

/// Finds the elements that symbols of a loop's body are.
class Places {
 public:
  Places(const ir::Stmt& loop, const Levels& around);
  [[nodiscard]] Where of(ir::SymbolId element) const;

 private:
  void learn(const ir::Stmt& stmt);
  void learn_neighbours(const ir::Stmt& loop);

  std::map<ir::SymbolId, Where> places_;
  std::map<ir::SymbolId, Where::Own> edges_;  ///< for iterators: the edge that led to them
};

}  // namespace Atoll::greenmarl
