// Flows in three dimensions.
#include "../../apps/taylor_green/step.hpp"
#include "../clover_flow.hpp"

namespace Atoll::bench {
namespace {

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

std::unique_ptr<SteppedFlow> make_cloverleaf3d(const st::Options& options, int n) {
  return std::make_unique<CloverFlow<3>>(options, n);
}

std::unique_ptr<SteppedFlow> make_taylor_green(const st::Options& options, int n) {
  return std::make_unique<TaylorGreenFlow>(options, n);
}

}  // namespace Atoll::bench
