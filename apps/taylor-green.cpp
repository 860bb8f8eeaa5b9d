// The Taylor-Green vortex in two and three dimensions: the decay of its kinetic energy.
#include <fmt/format.h>
#include <array>
#include <chrono>
#include <cstdio>

#include <atoll/marks/marks.h>
#include <atoll/stencil/cli_options.hpp>
#include <atoll/stencil/cli_output_options.hpp>

#include "atoll/base/json.hpp"
#include "call.hpp"
#include "field_memory.hpp"
#include "streamed.hpp"
#include "taylor_green/measure.hpp"

namespace {

using Atoll::Error;
using namespace taylor_green;

struct Call {
  Case what;
  double end = 1;
  std::int64_t steps = 0;  ///< 0 means until `end`
  std::int64_t every = 0;  ///< steps between two lines of output; 0 means the last one only
  int chain = 1;           ///< number of steps that run as one chain
  bool json = false;
  st::Options options;
  st::OutputOptions output;
};

/// Chooses the number of steps and their length.
void choose_steps(Call& call) {
  if (call.what.dt == 0) call.what.dt = 0.5 * call.what.mach * call.what.spacing();
  if (call.steps > 0) return;
  call.steps = static_cast<std::int64_t>(std::ceil(call.end / call.what.dt - 1e-9));
  call.what.dt = call.end / static_cast<double>(call.steps);
}

/// The larger fields have a halo at both ends of each dimension.
template <int D>
void check_memory(const Case& what, const st::Options& options) {
  constexpr int kFields = D * D + 4 * D + 9;  // those of Flow, and the vorticity
  const auto points = [&](double periods) { return periods * what.size + 2.0 * kHalo; };
  const std::array<double, 3> sides{points(1), points(D == 2 ? what.periods : 1),
                                    points(what.periods)};
  app::check_memory("--size", std::to_string(what.size) + " points in each dimension",
                    kFields * app::field_bytes(sides, D),
                    app::way_out(options, "take a smaller size"), app::room_for_fields(options));
}

/// Throws Error (failed) if the energy after this step is not a number or exceeds the initial
/// energy: friction decreases it, and sound adds up to 4 % (at Mach 1).
void check_energy(std::int64_t step, double energy, const Case& what) {
  const double at_start = what.dimensions == 2 ? 0.25 : 0.125;
  if (energy >= 0 && energy <= 1.1 * at_start) return;
  throw Error::failed(
      fmt::format("step {}", step),
      fmt::format("the kinetic energy is {:.6g}, and was {} at the start", energy, at_start),
      fmt::format("time steps of {:.3g} are too long, or the mesh is too coarse", what.dt));
}

void print(const Call& call, double time, const Measures& now) {
  if (call.json) return;
  fmt::print("t = {:<8.6g} kinetic energy {:.9f}  dissipation {:.9f}\n", time, now.kinetic_energy,
             now.dissipation);
}

template <int D>
void compute(Call& call) {
  choose_steps(call);
  Case& what = call.what;
  check_memory<D>(what, call.options);
  st::Program program(call.options);
  Flow<D> flow(program, what);
  start(flow, what);
  const auto vorticity = program.meshes().front()->field<double>("vorticity");
  const auto sums = program.reduction<double>(2);

  std::int64_t step_number = 0;
  double time = 0;
  st::Checkpoint state("taylor-green");
  state.scalar("step", step_number);
  state.scalar("time", time);
  state.setting("dimensions", std::int64_t{D});
  state.setting("periods", std::int64_t{what.periods});
  state.setting("dt", what.dt);
  state.setting("reynolds", what.reynolds);
  state.setting("mach", what.mach);
  st::MeshGeometry geometry{.dimensions = D, .cells = {1, 1, 1}};
  for (std::size_t d = 0; d < D; ++d) {
    geometry.cells[d] = std::int64_t{what.size} * (d + 1 == D ? what.periods : 1);
    geometry.spacing[d] = what.spacing();
  }
  st::Output output("taylor-green", call.output, geometry, state);
  output.field(vorticity, "Vorticity along z", st::ColourMap::diverging);
  for (const auto& field : {flow.density, flow.energy}) output.field(field);
  state.field(flow.density);
  state.field(flow.density_before);
  state.field(flow.energy);
  state.field(flow.energy_before);
  for (std::size_t i = 0; i < D; ++i) {
    output.field(flow.momentum[i]);
    state.field(flow.momentum[i]);
    state.field(flow.momentum_before[i]);
  }
  output.begin(step_number);

  program.run();
  for (const auto& mesh : program.meshes()) mesh->cyclic();
  const auto begin = std::chrono::steady_clock::now();
  const st::Counters before = program.counters();
  const std::int64_t first = step_number;
  atoll_mark_begin();
  while (step_number < call.steps) {
    step(flow, what);
    ++step_number;
    time = static_cast<double>(step_number) * what.dt;
    if (output.shows(step_number)) find_vorticity(flow, what, vorticity);
    output.write(step_number, time);
    if (step_number % call.chain == 0 || step_number == call.steps) {
      program.run();
      // NaN spreads over the whole mesh, so checking one point suffices.
      const double some = call.options.prediction ? 0 : flow.energy.copy({})[0];
      if (!std::isfinite(some)) check_energy(step_number, some, what);
    }
    if (call.every > 0 && step_number % call.every == 0 && step_number != call.steps) {
      const Measures now = measure(flow, what, sums);
      check_energy(step_number, now.kinetic_energy, what);
      print(call, time, now);
    }
  }
  atoll_mark_end();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const st::Counters counters = program.counters();
  const double points = what.points();
  const auto done = static_cast<double>(std::max<std::int64_t>(step_number - first, 1));
  if (call.options.prediction)
    return app::print_prediction(call.json, program, before.predicted, points * done);
  const std::uint64_t chains = counters.chains - before.chains;
  const Measures last = measure(flow, what, sums);
  check_energy(step_number, last.kinetic_energy, what);
  print(call, time, last);

  const double exact = 0.25 * std::exp(-4 * time / what.reynolds);
  if (call.json) {
    Atoll::Json result{{"dimensions", D},
                       {"size", what.size},
                       {"periods", what.periods},
                       {"steps", step_number},
                       {"dt", what.dt},
                       {"time", time},
                       {"kinetic_energy", last.kinetic_energy},
                       {"dissipation", last.dissipation},
                       {"chains", chains},
                       {"tiles", counters.tiles},
                       {"seconds", seconds},
                       {"ns_per_point_step", 1e9 * seconds / (points * done)}};
    if (D == 2) result["exact"] = exact;
    app::add_streamed(result, program);
    fmt::print("{}\n", result.dump_sorted());
    return;
  }
  if (D == 2)
    fmt::print(
        "the exact kinetic energy of an incompressible flow is {:.9f}, this is {:.6f} of it\n",
        exact, last.kinetic_energy / exact);
  fmt::print("{} steps of {:.4g}: {:.2f} s, {:.1f} ns a point and step, {} chains\n",
             step_number - first, what.dt, seconds, 1e9 * seconds / (points * done), chains);
  if (call.options.report) fmt::print("\n{}", to_string(program.report()));
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::options::CommandLine app(
      "The Taylor-Green vortex: how fast its kinetic energy decays.", "taylor-green");
  Call call;
  app.add_option("--dimensions", call.what.dimensions, "2 or 3 (3)")
      .check(app::value::count(2, 3))
      .type_name("N");
  app.add_option("--size", call.what.size, "Points in each dimension (64)")
      .check(app::value::count(1, 1 << 20))
      .type_name("N");
  app.add_option("--periods", call.what.periods,
                 "Repetitions of the vortex along the last dimension (1)")
      .check(app::value::count(1, 1 << 10))
      .type_name("N");
  app.add_option("--reynolds", call.what.reynolds, "The Reynolds number (100)")
      .check(app::value::positive())
      .type_name("R");
  app.add_option("--mach", call.what.mach, "The Mach number: how fast sound is (0.1)")
      .check(app::value::real(0.001, 1.0))
      .type_name("M");
  const app::options::Option end =
      app.add_option("--end", call.end, "The time at which it ends (1)")
          .check(app::value::positive())
          .type_name("T");
  app.add_option("--steps", call.steps, "Or after so many steps")
      .check(app::value::count(1, std::uint64_t{1} << 40))
      .excludes(end)
      .type_name("N");
  app.add_option("--dt", call.what.dt, "The time step (half of what sound takes for a spacing)")
      .check(app::value::positive())
      .type_name("T");
  app.add_option("--chain", call.chain, "Steps that are run as one chain of loops (1)")
      .check(app::value::count(1, 1000))
      .type_name("N");
  app.add_option("--every", call.every, "Prints a line every N steps, besides the last")
      .check(app::value::count(1, std::uint64_t{1} << 40))
      .type_name("N");
  st::add_options(app, call.options);
  app.add_flag("--report", call.options.report, "Prints a table of all loops");
  app.add_flag("--json", call.json, "Prints one JSON object");
  st::add_options(app, call.output);
  app.footer(
      "  taylor-green --dimensions 2 --size 64 --end 5\n"
      "  taylor-green --size 160 --reynolds 1600 --steps 20 --chain 3 --report");
  return app::run(app, argc, argv, [&] {
    if (call.what.dimensions == 2) return compute<2>(call);
    compute<3>(call);
  });
}
