// The applications' flows for the suite `stencil`: in this process, one step at a time.
#pragma once

#include <atoll/stencil/stencil.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../apps/cloverleaf/hydro.hpp"
#include "../apps/cloverleaf/start.hpp"
#include "../apps/taylor_green/step.hpp"
#include "bench.hpp"

namespace Atoll::bench {

namespace st = Atoll::stencil;

/// A flow with its own program.
class SteppedFlow {
 public:
  explicit SteppedFlow(const st::Options& options) : program_(options) {}
  virtual ~SteppedFlow() = default;
  SteppedFlow(const SteppedFlow&) = delete;
  SteppedFlow& operator=(const SteppedFlow&) = delete;

  virtual void step() = 0;
  /// Fields that must be equal in all modes.
  [[nodiscard]] virtual std::vector<st::Field<double>> state() const = 0;

  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  [[nodiscard]] st::Program& program() { return program_; }
  /// The tile size of the last chain as text.
  [[nodiscard]] std::string tile() const { return st::to_string(program_.last_plan()->tile); }

 protected:
  st::Program program_;
};

/// Returns CloverLeaf's deck with n cells along each axis, with the sizes and states of its test
/// problems.
template <int D>
clover::Deck clover_deck(int n) {
  clover::Deck deck;
  deck.dimensions = D;
  deck.high = {10, 10, 10};
  deck.cells = {1, 1, 1};
  for (std::size_t axis = 0; axis < D; ++axis) deck.cells[axis] = static_cast<std::uint64_t>(n);
  deck.initial_timestep = deck.max_timestep = D == 2 ? 0.04 : 0.1;
  deck.timestep_rise = D == 2 ? 1.5 : 1.05;
  clover::State everywhere, box;
  everywhere.density = 0.2, everywhere.energy = 1;
  box.density = 1, box.energy = 2.5, box.geometry = clover::Geometry::box, box.high = {5, 2, 4};
  deck.states = {everywhere, box};
  return deck;
}

template <int D>
class CloverFlow : public SteppedFlow {
 public:
  CloverFlow(const st::Options& options, int n)
      : SteppedFlow(options),
        deck_(clover_deck<D>(n)),
        fields_(program_, deck_),
        hydro_(program_, fields_, deck_),
        time_step_(deck_.initial_timestep) {
    clover::start(fields_, deck_);
    program_.run();
  }
  /// Runs one chain: the rest of the previous step, up to the computation of this step's length.
  void step() override {
    time_step_ = hydro_.time_step(time_step_);
    hydro_.advance(time_step_, ++step_ % 2 == 1);
  }
  [[nodiscard]] std::vector<st::Field<double>> state() const override {
    std::vector<st::Field<double>> fields{fields_.density0, fields_.energy0};
    fields.insert(fields.end(), fields_.velocity0.begin(), fields_.velocity0.end());
    return fields;
  }

 private:
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

/// True if both have the same bits at all points of the mesh; runs the queued loops.
inline bool same_bits(const SteppedFlow& a, const SteppedFlow& b) {
  const auto all_a = a.state(), all_b = b.state();
  for (std::size_t i = 0; i < all_a.size(); ++i) {
    const auto view_a = all_a[i].view(), view_b = all_b[i].view();
    const st::Range& range = view_a.interior();
    const auto row = static_cast<std::size_t>(range.hi[0]) * sizeof(double);
    for (int z = 0; z < range.hi[2]; ++z)
      for (int y = 0; y < range.hi[1]; ++y)
        if (std::memcmp(&view_a(0, y, z), &view_b(0, y, z), row) != 0) return false;
  }
  return true;
}

/// Parameters of a measured flow.
struct FlowCase {
  std::string name;
  int dimensions = 2, n = 0;
  std::unique_ptr<SteppedFlow> (*make)(const st::Options&, int n) = nullptr;
  int steps = 1;  ///< steps per round

  [[nodiscard]] double cells() const {
    double cells = 1;
    for (int d = 0; d < dimensions; ++d) cells *= n;
    return cells;
  }
  [[nodiscard]] std::string title(int threads) const {
    return fmt::format("{} {}, {} thread{}", name, n, threads, threads == 1 ? "" : "s");
  }
};

template <class Flow>
std::unique_ptr<SteppedFlow> make_flow(const st::Options& options, int n) {
  return std::make_unique<Flow>(options, n);
}

/// Number of chains until the tile size is settled: up to six sizes twice, the best two twice
/// again, and one first run of each chain.
inline constexpr int kSettled = 20;

/// Adds a row: tiled relative to untiled, in nanoseconds per cell and step. For one thread, CPU
/// time is used, so that other programs have no influence; for several threads, wall-clock time.
inline void flow_row(Suite& suite, const FlowCase& flow, int threads, int rounds) {
  const auto tiled = flow.make({.threads = threads}, flow.n);
  const auto untiled = flow.make({.threads = threads, .mode = st::Mode::untiled}, flow.n);
  tiled->steps(kSettled);
  untiled->steps(kSettled);
  require(same_bits(*tiled, *untiled), flow.title(threads) + ": tiled and untiled differ");
  const auto times =
      alternate({[&] { tiled->steps(flow.steps); }, [&] { untiled->steps(flow.steps); }}, rounds,
                threads == 1 ? Clock::cpu : Clock::wall);
  const std::string tile = tiled->tile();
  require(same_bits(*tiled, *untiled), flow.title(threads) + ": tiled and untiled differ");
  const double scale = 1e9 / flow.cells() / flow.steps;
  suite.row(flow.title(threads), "ns", times[0].median * scale, "untiled", times[1].median * scale,
            times[0].spread,
            {{"tile", tile},
             {"threads", threads},
             {"least", times[0].least * scale},
             {"least_untiled", times[1].least * scale},
             {"least_ratio", times[0].least / times[1].least}});
}

}  // namespace Atoll::bench
