// The flows of the suite `stencil`. Compiled apart from the suite: the kernels take longest.
#include "../stencil_flows.hpp"

#include "../../apps/cloverleaf/hydro.hpp"
#include "../../apps/cloverleaf/start.hpp"
#include "../../apps/taylor_green/step.hpp"
#include "../stencil_deck.hpp"

namespace Atoll::bench {
namespace {

/// If `kFixed`, all steps have the length of the first one, so that no value ends a chain.
template <int D, bool kFixed = false>
class CloverFlow : public SteppedFlow {
 public:
  CloverFlow(const st::Options& options, int n)
      : SteppedFlow(options),
        deck_(clover_deck<D>(n)),
        fields_(program_, deck_),
        hydro_(program_, fields_, deck_),
        time_step_(kFixed ? kShortStep : deck_.initial_timestep) {
    clover::start(fields_, deck_);
    program_.run();
  }
  /// Runs one chain: the rest of the previous step, up to the computation of this step's length.
  void step() override {
    if (kFixed)
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
  clover::Deck deck_;
  clover::Fields<D> fields_;
  clover::Hydro<D> hydro_;
  double time_step_;
  int step_ = 0;
};

class TaylorGreenFlow : public SteppedFlow {
 public:
  TaylorGreenFlow(const st::Options& options, int n)
      : SteppedFlow(options), flow_(program_, of(n)) {
    what_ = of(n);
    taylor_green::start(flow_, what_);
    program_.run();
  }
  /// Runs one chain.
  void step() override {
    taylor_green::step(flow_, what_);
    program_.run();
  }
  [[nodiscard]] std::vector<st::Field<double>> state() const override {
    std::vector<st::Field<double>> fields{flow_.density, flow_.energy};
    fields.insert(fields.end(), flow_.momentum.begin(), flow_.momentum.end());
    return fields;
  }

 private:
  /// As in the paper: Reynolds number 1600.
  static taylor_green::Case of(int n) {
    taylor_green::Case what{.size = n, .reynolds = 1600};
    what.dt = 0.02 * what.spacing();
    return what;
  }
  taylor_green::Case what_;
  taylor_green::Flow<3> flow_;
};

}  // namespace

std::unique_ptr<SteppedFlow> make_cloverleaf2d(const st::Options& options, int n) {
  return std::make_unique<CloverFlow<2>>(options, n);
}

std::unique_ptr<SteppedFlow> make_cloverleaf3d(const st::Options& options, int n) {
  return std::make_unique<CloverFlow<3>>(options, n);
}

std::unique_ptr<SteppedFlow> make_fixed_cloverleaf(const st::Options& options, int n) {
  return std::make_unique<CloverFlow<2, true>>(options, n);
}

std::unique_ptr<SteppedFlow> make_taylor_green(const st::Options& options, int n) {
  return std::make_unique<TaylorGreenFlow>(options, n);
}

}  // namespace Atoll::bench
