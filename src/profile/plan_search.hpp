// The plan with the least predicted time that can be found, and of those nearly as good the
// simplest: docs/analyses.md, "Advice".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profile/plan_options.hpp"

namespace Atoll::profile {

/// Of plans that are predicted to take so much longer than the best one, the simplest is taken.
inline constexpr double kNearlyBest = 0.03;

/// Places for threads, and what a plan could do to objects then.
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
};

/// `placings` begins with threads as they are, which don't have to be bound unless an option does;
/// `units` are as many as each has. Deterministic. The result is never predicted to take longer
/// than kNearlyBest more than any plan that gives all units options of one kind, nor than nothing
/// (no changes), which it is where the gain is less than `worthwhile` of its time.
[[nodiscard]] FoundPlan search_plan(std::span<const SearchedPlacing> placings, std::size_t units,
                                    const PredictedTime& time, double worthwhile);

}  // namespace Atoll::profile
