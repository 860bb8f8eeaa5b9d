// Exclusivity [hashsieve §V.A.2]: how far pages belong to one node. 1/N: all nodes use the page
// alike; 1: one node uses it alone.
#pragma once

#include <vector>

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

struct Exclusivity {
  double program = 0;              ///< mean over pages, weighted by accesses; 0: no accesses
  std::vector<double> of_objects;  ///< the same over an object's pages; 0: no accesses
};

/// Returns the exclusivity of one page: the highest node's accesses over all of them; 0 without
/// accesses.
[[nodiscard]] double exclusivity_of(std::span<const std::uint64_t> accesses);
[[nodiscard]] Exclusivity exclusivity(const PagesByNode& pages, std::size_t objects);

/// The paper's Figure 2: the number of pages by exclusivity and accesses, in cells of a grid, for
/// each node that first touch puts them on.
struct ExclusivityGrid {
  static constexpr std::size_t kColumns = 16;     ///< equal steps of exclusivity from 1/N to 1
  static constexpr std::size_t kRows = 8;         ///< equal steps of log10(accesses)
  double decades = 0;                             ///< of accesses that the rows divide, from 1 on
  std::vector<std::vector<std::uint64_t>> cells;  ///< by node; row * kColumns + column

  /// Makes the grid. `decades` lets plots be compared on one scale; 0: as many as these pages need.
  [[nodiscard]] static ExclusivityGrid of(const PagesByNode& pages, const Places& places,
                                          double decades = 0);
};

}  // namespace Atoll::profile
