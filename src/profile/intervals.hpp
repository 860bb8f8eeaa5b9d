// Confidence intervals of a sampled profile's shares: in nine of ten recordings, the interval
// contains the true share. They are computed by a bootstrap over stretches, which are the run's
// epochs that have samples. All samples of a stretch are drawn together, since a program's
// behaviour is similar for a while. docs/analyses.md has the formulas.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "profile/what_if.hpp"

namespace Atoll::profile {

struct Interval {
  double low = 0, high = 1;
  /// True if the interval is at most kWidest wide; otherwise its share isn't printed.
  [[nodiscard]] bool is_narrow() const;
};

/// Intervals of the program, or of one object.
struct ShareIntervals {
  Interval share;        ///< of all page uses
  Interval exclusivity;  ///< also the local share of Mapping::locality
  /// By kMappings. Mappings that depend on how often a page is sampled aren't estimated, so they
  /// are never printed. `busiest` is set only for the program.
  std::array<Interval, kMappings.size()> local, busiest;
};

struct Intervals {
  std::size_t samples = 0;    ///< of uses, without first touches
  std::size_t stretches = 0;  ///< epochs of the run that have samples
  /// Fraction of the pages in use whose uses can't be sampled: pages of small allocations,
  /// variables and stacks. Any thread may be the one that uses them.
  double unwatched = 0;
  ShareIntervals program;
  std::vector<ShareIntervals> of_objects;  ///< by object
  std::vector<Interval> of_processes;      ///< shares of all page uses, by process

  /// True if the program's intervals are narrow enough for verdicts and advice.
  [[nodiscard]] bool are_sufficient() const;
};

/// Returns the intervals of `pages` with threads at `places`. Deterministic.
[[nodiscard]] Intervals intervals(const Profile& profile, const PagesByNode& pages,
                                  const Places& places, const Places& compact);

/// Returns "62 %"; for a sampled profile "56-71 %", or "-" if the interval is too wide.
[[nodiscard]] std::string format_share(double share, const Interval* interval);

}  // namespace Atoll::profile
