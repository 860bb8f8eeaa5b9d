// Finds the plan with the least predicted time, and the simplest of those nearly as good:
// docs/analyses.md, "Advice".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profile/plan_options.hpp"

namespace Atoll::profile {

/// The simplest plan is taken among those predicted to take at most this much longer than the best.
inline constexpr double kNearlyBest = 0.03;

/// Places for threads, and what a plan could do to objects with them.
struct SearchedPlacing {
  const PlanOptions* options = nullptr;
  bool binds = false;  ///< threads have to be bound, whatever is done to objects
};

struct FoundPlan {
  std::size_t placing = 0;
  std::vector<std::size_t> options;  ///< by unit: its position in PlanOptions::of()
  double seconds = 0;
  bool binds = false;
  std::size_t changes = 0;  ///< units that are planned, and one more where threads are elsewhere
  std::size_t runs = 0;
  /// By unit: what its option saves by itself, as a part of the time as it is; 0 if it isn't
  /// planned.
  std::vector<double> saved;
};

/// Searches for a plan. `placings` begins with threads as they are, which don't have to be bound
/// unless an option does; `units` are as many as each placing has. Deterministic. The result is
/// never predicted to take more than kNearlyBest longer than any plan that gives all units options
/// of one kind. It has no changes if the gain is less than `worthwhile` of the time as it is.
[[nodiscard]] FoundPlan search_plan(std::span<const SearchedPlacing> placings, std::size_t units,
                                    const PredictedTime& time, double worthwhile);

}  // namespace Atoll::profile
