// How sure the shares of a sampled profile are. Each gets an interval that holds the true share in
// nine of ten recordings, by drawing the run's stretches of time anew: samples of one stretch go
// together, as programs do one thing for a while. docs/analyses.md has the formulas.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "profile/what_if.hpp"

namespace Atoll::profile {

struct Interval {
  double low = 0, high = 1;
  /// Is it narrow enough for its share to be said? See kWidest.
  [[nodiscard]] bool is_said() const;
};

/// Of the program, or of one object.
struct ShareIntervals {
  Interval share;        ///< of all page uses
  Interval exclusivity;  ///< the local share of Mapping::locality, too
  /// By kMappings. What isn't estimated, of mappings that depend on how often a page is seen, is
  /// never said; `busiest` is of the program alone.
  std::array<Interval, kMappings.size()> local, busiest;
};

struct Intervals {
  std::size_t samples = 0;    ///< of uses, first touches aside
  std::size_t stretches = 0;  ///< of the run, that have any
  /// Of the pages in use: those whose uses can't be sampled, of small allocations, variables and
  /// stacks. They count as anybody's.
  double unwatched = 0;
  ShareIntervals program;
  std::vector<ShareIntervals> of_objects;  ///< by object
  std::vector<Interval> of_processes;      ///< shares of all page uses, by process

  /// Is enough said for verdicts and advice?
  [[nodiscard]] bool suffice() const;
};

/// `pages` as seen from `places`. Deterministic.
[[nodiscard]] Intervals intervals(const Profile& profile, const PagesByNode& pages,
                                  const Places& places, const Places& compact);

/// "62 %"; of a sampled profile "56-71 %", or "-" where that is too wide.
[[nodiscard]] std::string said(double share, const Interval* interval);

}  // namespace Atoll::profile
