// Plans of inner chains. The tiles of a segment try tile sizes in turn.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "stencil/stream/outer_plan.hpp"
#include "stencil/tilings.hpp"
#include "stencil/tuner.hpp"

namespace Atoll::stencil {

/// The plans of all inner chains of a streamed chain.
class InnerPlans {
 public:
  InnerPlans(const OuterPlan& outer, const PlanOptions& options, const TileCaches& caches);
  /// The plan to use now. Valid as long as this object.
  [[nodiscard]] const Plan& plan(const OuterTile& tile, Tilings& tilings);
  /// Reports the run time of that plan; the next tile may use another one.
  void ran(const OuterTile& tile, double seconds);

 private:
  struct Segment {
    Tuner tuner;
    const InnerChain* middle;  ///< that of most tiles: their times can be compared
    bool ran_before = false;
  };

  PlanOptions options_;
  std::vector<Segment> segments_;
  /// By inner chain and position of the tile size in the tuner.
  std::map<std::pair<const InnerChain*, std::size_t>, Plan> plans_;
};

}  // namespace Atoll::stencil
