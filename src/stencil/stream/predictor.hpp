// Time of a program on a machine with fast and slow memory, predicted from its plans.
#pragma once

#include "atoll/stencil/program.hpp"
#include "stencil/stream/outer_plan.hpp"

namespace Atoll::stencil {

class Predictor {
 public:
  explicit Predictor(const Prediction& machine) : machine_(machine) {}

  /// Adds a chain. `plan` is null if all fields fit fast memory. The transfers of a tile overlap
  /// with the computation of others, those of the first and last tile with the chains before and
  /// after.
  void add(const Chain& chain, const OuterPlan* plan);
  [[nodiscard]] const PredictedTimes& times() const { return times_; }

 private:
  const Prediction machine_;
  PredictedTimes times_;
  double bytes_out_ = 0;  ///< of the tile before
};

}  // namespace Atoll::stencil
