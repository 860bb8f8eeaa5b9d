// Exclusivity of pages [hashsieve §V.A.2]: the largest node's share of a page's accesses. 1/N: all
// N nodes access the page equally; 1: only one node accesses it.
#pragma once

#include <vector>

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

struct Exclusivity {
  double program = 0;              ///< mean over pages, weighted by accesses; 0 without accesses
  std::vector<double> of_objects;  ///< mean over the object's pages; 0 without accesses
};

/// Returns the exclusivity of one page: the maximum of `accesses` (by node) over their sum; 0
/// without accesses.
[[nodiscard]] double exclusivity_of(std::span<const std::uint64_t> accesses);
[[nodiscard]] Exclusivity exclusivity(const PagesByNode& pages, std::size_t objects);

/// The paper's Figure 2: a histogram of pages by exclusivity and accesses, for each node that first
/// touch places them on.
struct ExclusivityGrid {
  static constexpr std::size_t kColumns = 16;     ///< equal steps of exclusivity from 1/N to 1
  static constexpr std::size_t kRows = 8;         ///< equal steps of log10(accesses)
  double decades = 0;                             ///< range of the rows: 1 to 10^decades accesses
  std::vector<std::vector<std::uint64_t>> cells;  ///< by node; row * kColumns + column

  /// Makes the grid. `decades` sets a common scale for plots to be compared; 0: as many as these
  /// pages need.
  [[nodiscard]] static ExclusivityGrid of(const PagesByNode& pages, const Places& places,
                                          double decades = 0);
};

}  // namespace Atoll::profile
