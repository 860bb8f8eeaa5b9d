// The applications' flows for the suite `stencil`: in this process, one step at a time.
#pragma once

#include <atoll/stencil/stencil.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

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

// CloverLeaf in two and three dimensions and Taylor-Green with n cells along each axis, in
// programs/stencil_flows_2d.cpp and stencil_flows_3d.cpp.
std::unique_ptr<SteppedFlow> make_cloverleaf2d(const st::Options& options, int n);
std::unique_ptr<SteppedFlow> make_cloverleaf3d(const st::Options& options, int n);
/// CloverLeaf in two dimensions with steps of one length: no value ends a chain.
std::unique_ptr<SteppedFlow> make_fixed_cloverleaf(const st::Options& options, int n);
std::unique_ptr<SteppedFlow> make_taylor_green(const st::Options& options, int n);

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
