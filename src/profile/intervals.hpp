// How sure the shares of a sampled profile are. Each share gets an interval that holds the true
// share in nine of ten recordings. It is found by drawing the run's stretches of time anew: samples
// of one stretch stay together, as programs do one thing for a while. docs/analyses.md has the
// formulas.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "profile/what_if.hpp"

namespace Atoll::profile {

struct Interval {
  double low = 0, high = 1;
  /// True if it is narrow enough for its share to be printed (kWidest).
  [[nodiscard]] bool is_said() const;
};

/// Intervals of the program, or of one object.
struct ShareIntervals {
  Interval share;        ///< of all page uses
  Interval exclusivity;  ///< the local share of Mapping::locality, too
  /// By kMappings. Mappings that depend on how often a page is seen aren't estimated, so they are
  /// never printed; `busiest` is of the program alone.
  std::array<Interval, kMappings.size()> local, busiest;
};

struct Intervals {
  std::size_t samples = 0;    ///< of uses, first touches aside
  std::size_t stretches = 0;  ///< of the run: those that have samples
  /// The share of the pages in use whose uses can't be sampled: pages of small allocations,
  /// variables and stacks. They could be anybody's.
  double unwatched = 0;
  ShareIntervals program;
  std::vector<ShareIntervals> of_objects;  ///< by object
  std::vector<Interval> of_processes;      ///< shares of all page uses, by process

  /// True if enough is known for verdicts and advice.
  [[nodiscard]] bool suffice() const;
};

/// Returns the intervals of `pages` as seen from `places`. Deterministic.
[[nodiscard]] Intervals intervals(const Profile& profile, const PagesByNode& pages,
                                  const Places& places, const Places& compact);

/// Returns "62 %"; for a sampled profile "56-71 %", or "-" if that is too wide.
[[nodiscard]] std::string said(double share, const Interval* interval);

}  // namespace Atoll::profile
