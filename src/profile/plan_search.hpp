// Searches for the plan with the least predicted time, and for the simplest plan among those nearly
// as fast: docs/analyses.md, "Advice".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profile/plan_options.hpp"

namespace Atoll::profile {

/// Tolerance for a simpler plan: it may be predicted to take at most this fraction longer than the
/// best.
inline constexpr double kNearlyBest = 0.03;

/// A placement of threads, and the options for objects under it.
struct SearchedPlacement {
  const PlanOptions* options = nullptr;
  bool binds = false;  ///< threads have to be bound, whatever the objects' options are
};

struct FoundPlan {
  std::size_t placement = 0;
  std::vector<std::size_t> options;  ///< by unit: position in PlanOptions::of()
  double seconds = 0;
  bool binds = false;
  std::size_t changes = 0;  ///< number of units in the plan, plus one if threads are moved
  std::size_t runs = 0;
  /// By unit: the time that its option saves by itself, as a fraction of the time without a plan; 0
  /// if it isn't planned.
  std::vector<double> saved;
};

/// Searches for a plan. `placements` begins with the current places of threads, which don't have to
/// be bound unless an option requires it. `units` is the number of units of each placement.
/// Deterministic. The result is predicted to take at most kNearlyBest longer than any plan with
/// options of one kind for all units. The result has no changes if the gain is less than
/// `worthwhile`, as a fraction of the time without a plan.
[[nodiscard]] FoundPlan search_plan(std::span<const SearchedPlacement> placements,
                                    std::size_t units, const PredictedTime& time, double min_gain);

}  // namespace Atoll::profile
