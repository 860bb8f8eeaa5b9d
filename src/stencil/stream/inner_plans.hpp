// Plans of inner chains. Tiles that are equal share the plan, and try tile sizes in turn.
#pragma once

#include <map>
#include <memory>

#include "stencil/stream/outer_plan.hpp"
#include "stencil/tilings.hpp"
#include "stencil/tuner.hpp"

namespace Atoll::stencil {

/// The plans of one inner chain, by tile size.
class InnerPlan {
 public:
  InnerPlan(const InnerChain& inner, const PlanOptions& options, const CacheFigures& caches);
  /// The plan to use now.
  [[nodiscard]] const Plan& plan(Tilings& tilings);
  /// Reports the run time of that plan; the next run may try another one.
  void ran(double seconds);

 private:
  const InnerChain& inner_;
  PlanOptions options_;
  Tuner tuner_;
  std::map<std::size_t, Plan> plans_;  ///< by position of the tile size in the tuner
  bool ran_before_ = false;
};

/// The plans of all inner chains of a streamed chain.
class InnerPlans {
 public:
  InnerPlans(const PlanOptions& options, const CacheFigures& caches)
      : options_(options), caches_(caches) {}
  [[nodiscard]] InnerPlan& of(const InnerChain& inner);

 private:
  PlanOptions options_;
  CacheFigures caches_;
  std::map<const InnerChain*, InnerPlan> plans_;
};

}  // namespace Atoll::stencil
