// CloverLeaf as a flow of the suites `stencil` and `chains`.
#pragma once

#include "../apps/cloverleaf/hydro.hpp"
#include "../apps/cloverleaf/start.hpp"
#include "stencil_deck.hpp"
#include "stencil_flows.hpp"

namespace Atoll::bench {

template <int D>
class CloverFlow : public SteppedFlow {
 public:
  /// If `fixed`, all steps have the same length, so that no value ends a chain.
  CloverFlow(const st::Options& options, int n, bool fixed = false)
      : SteppedFlow(options),
        fixed_(fixed),
        deck_(clover_deck<D>(n)),
        fields_(program_, deck_),
        hydro_(program_, fields_, deck_),
        time_step_(fixed ? kShortStep : deck_.initial_timestep) {
    clover::start(fields_, deck_);
    program_.run();
  }
  /// Runs one chain: the rest of the previous step, up to the computation of this step's length.
  void step() override {
    if (fixed_)
      hydro_.find_step();
    else
      time_step_ = hydro_.time_step(time_step_);
    hydro_.advance(time_step_, ++step_ % 2 == 1);
  }
  [[nodiscard]] std::vector<st::Field<double>> state() const override {
    std::vector<st::Field<double>> fields{fields_.density0, fields_.energy0};
    fields.insert(fields.end(), fields_.velocity0.begin(), fields_.velocity0.end());
    return fields;
  }

 private:
  static constexpr double kShortStep = 1e-5;
  bool fixed_;
  clover::Deck deck_;
  clover::Fields<D> fields_;
  clover::Hydro<D> hydro_;
  double time_step_;
  int step_ = 0;
};

}  // namespace Atoll::bench
