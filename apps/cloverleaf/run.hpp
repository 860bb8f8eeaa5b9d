// CloverLeaf from the deck to the result: the common part of cloverleaf2d and cloverleaf3d.
#pragma once

#include <fmt/format.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include <atoll/marks/marks.h>
#include <atoll/stencil/cli_options.hpp>
#include <atoll/stencil/cli_output_options.hpp>

#include "../call.hpp"
#include "../streamed.hpp"
#include "atoll/base/json.hpp"
#include "deck.hpp"
#include "hydro.hpp"
#include "memory.hpp"
#include "start.hpp"
#include "summary.hpp"

namespace clover {

/// Minimum time step. A shorter one ends the run: the flow has become too fast for its cells.
inline constexpr double kLeastTimeStep = 1e-7;

struct Call {
  std::string name, deck;
  bool json = false;
  st::Options options;
  st::OutputOptions output;
};

/// Returns the cell with the minimum time step, or the first one whose step is not a number, and
/// that step. Runs the queued loops.
template <int D>
std::pair<std::string, double> slowest_cell(Fields<D>& fields, const Hydro<D>& hydro) {
  const auto allowed = hydro.time_step_kernel();
  double least = std::numeric_limits<double>::infinity();
  st::Index slowest;
  const st::Range cells = fields.mesh.interior();
  const auto at = [](const auto& view, st::Index cell) {
    return
        [view, cell](int x, int y, int z = 0) { return view(cell.x + x, cell.y + y, cell.z + z); };
  };
  for (int z = cells.lo[2]; z < cells.hi[2]; ++z)
    for (int y = cells.lo[1]; y < cells.hi[1]; ++y)
      for (int x = cells.lo[0]; x < cells.hi[0]; ++x) {
        const st::Index cell{x, y, z};
        const auto of = [&](const auto&... velocity_and_area) {
          return allowed(at(fields.sound.view(), cell), at(fields.viscosity.view(), cell),
                         at(fields.density0.view(), cell), at(velocity_and_area.view(), cell)...,
                         at(fields.volume.view(), cell));
        };
        const double step = std::apply(of, std::tuple_cat(fields.velocity0, fields.area));
        if (step < least || (std::isnan(step) && !std::isnan(least))) least = step, slowest = cell;
      }
  return {D == 2 ? fmt::format("({}, {})", slowest.x, slowest.y)
                 : fmt::format("({}, {}, {})", slowest.x, slowest.y, slowest.z),
          least};
}

template <int D>
class Run {
 public:
  Run(const Call& call, const Deck& deck)
      : call_(call),
        deck_(deck),
        program_(call.options),
        fields_(program_, deck_),
        hydro_(program_, fields_, deck_),
        sums_(program_.reduction<double>(5)),
        state_(call.name),
        output_(call.name, output_options(), geometry(), state_) {
    name_output();
    start(fields_, deck_);
    time_step_ = deck_.initial_timestep;
    if (!output_.begin(step_)) write_output();
    program_.run();
  }

  /// Runs all steps. Throws Error (failed) if the flow becomes too fast or the result is wrong.
  void go() {
    const auto begin = std::chrono::steady_clock::now();
    const st::Counters before = program_.counters();
    const std::int64_t first = step_;
    if (!call_.options.prediction)
      say("{:>8} {:>12} {:>12} {:>14} {:>14} {:>14} {:>14} {:>14}\n", "step", "time", "dt", "mass",
          "density", "pressure", "internal", "kinetic");
    atoll_mark_begin();
    while (!ended()) {
      step();
      if (due(deck_.summary_frequency) && !ended()) {
        queue_summary();
        if (call_.options.without.summary) report_queued_summary();
      }
    }
    program_.run();
    report_queued_summary();
    atoll_mark_end();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    counters_ = program_.counters();
    counters_.chains -= before.chains;
    counters_.tiles -= before.tiles;
    predicted_before_ = before.predicted;
    steps_ = step_ - first;
    report_end();
  }

 private:
  [[nodiscard]] bool ended() const {
    return static_cast<std::uint64_t>(step_) >= deck_.end_step || time_ >= deck_.end_time;
  }
  [[nodiscard]] bool due(std::uint64_t frequency) const {
    return frequency != 0 && static_cast<std::uint64_t>(step_) % frequency == 0;
  }
  template <class... Words>
  void say(fmt::format_string<Words...> text, Words&&... words) {
    if (!call_.json) fmt::print(text, std::forward<Words>(words)...);
  }

  st::OutputOptions output_options() const {
    st::OutputOptions options = call_.output;
    if (options.snapshots == 0)
      options.snapshots = static_cast<std::int64_t>(deck_.visit_frequency);
    return options;
  }
  st::MeshGeometry geometry() const {
    st::MeshGeometry mesh{.dimensions = D};
    for (std::size_t axis = 0; axis < D; ++axis) {
      mesh.cells[axis] = static_cast<std::int64_t>(deck_.cells[axis]);
      mesh.origin[axis] = deck_.low[axis];
      mesh.spacing[axis] = deck_.cell_size(static_cast<int>(axis));
    }
    return mesh;
  }
  void name_output() {
    state_.setting("dimensions", std::int64_t{D});
    for (std::size_t axis = 0; axis < D; ++axis) {
      state_.setting(fmt::format("{} cells", kAxisNames[axis]),
                     static_cast<std::int64_t>(deck_.cells[axis]));
      state_.setting(fmt::format("{}min", kAxisNames[axis]), deck_.low[axis]);
      state_.setting(fmt::format("{}max", kAxisNames[axis]), deck_.high[axis]);
    }
    state_.scalar("step", step_);
    state_.scalar("time", time_);
    state_.scalar("time step", time_step_);
    state_.field(fields_.density0);
    state_.field(fields_.energy0);
    if constexpr (D == 3) state_.field(fields_.mass_flux[0]);  // see Hydro::mirror_mass_flux()
    output_.field(fields_.density0, "Density");
    output_.field(fields_.energy0, "Energy");
    output_.field(fields_.pressure, "Pressure");
    output_.field(fields_.viscosity, "Viscosity");
    for (std::size_t axis = 0; axis < D; ++axis) {
      state_.field(fields_.velocity0[axis]);
      output_.field(fields_.velocity0[axis], fmt::format("Velocity along {}", kAxisNames[axis]),
                    st::ColourMap::diverging);
    }
  }

  void step() {
    // After the start and after output, the loops that find the time step are a chain of their own.
    // The step reads their pressure and viscosity.
    if (program_.waiting() == 0) fields_.mesh.cyclic(false);
    time_step_ = hydro_.time_step(time_step_);
    fields_.mesh.cyclic();
    report_queued_summary();
    if (!(time_step_ >= kLeastTimeStep)) {
      const auto [cell, allowed] = slowest_cell(fields_, hydro_);
      if (std::isnan(allowed))
        throw Atoll::Error::failed(
            call_.deck, fmt::format("in step {} cell {} holds no numbers", step_ + 1, cell),
            "numbers became too large or too small; check the states");
      throw Atoll::Error::failed(
          call_.deck,
          fmt::format("in step {} the time step is {:.3g}, because of cell {}", step_ + 1,
                      time_step_, cell),
          "the flow is too fast for its cells; check the states");
    }
    ++step_;
    hydro_.advance(time_step_, step_ % 2 == 1);
    time_ += time_step_;
    write_output();
  }
  void write_output() {
    if (output_.shows(step_)) hydro_.gas(fields_.density0, fields_.energy0);
    output_.write(step_, time_);
  }
  /// Queues the loops of a summary. They run in one chain with the loops of the steps before and
  /// after, whose values are needed first anyway (§4.1: alone, they cost 16 % of the time).
  void queue_summary() {
    if (call_.options.without.summary) program_.run();
    hydro_.gas(fields_.density0, fields_.energy0);
    clover::queue_summary(fields_, sums_);
    queued_ = Queued{step_, time_, time_step_};
  }
  /// Reports the summary that was queued last, if it wasn't yet. Runs the queued loops then.
  Summary report_queued_summary() {
    if (!queued_) return {};
    const Queued at = *std::exchange(queued_, std::nullopt);
    const Summary sums = summary_of(sums_);
    if (call_.options.prediction) return sums;
    say("{:>8} {:>12.6g} {:>12.6g} {:>14.8g} {:>14.8g} {:>14.8g} {:>14.8g} {:>14.8g}\n", at.step,
        at.time, at.time_step, sums.mass, sums.density(), sums.mean_pressure(),
        sums.internal_energy, sums.kinetic_energy);
    for (const auto& [name, value] : {std::pair{"kinetic energy", sums.kinetic_energy},
                                      {"internal energy", sums.internal_energy},
                                      {"mass", sums.mass},
                                      {"pressure", sums.mean_pressure()}})
      if (!std::isfinite(value))
        throw Atoll::Error::failed(call_.deck,
                                   fmt::format("after {} steps the {} is {}", at.step, name, value),
                                   "numbers became too large or too small; check the states");
    return sums;
  }
  void report_end() {
    double cells = 1;
    for (std::size_t axis = 0; axis < D; ++axis) cells *= static_cast<double>(deck_.cells[axis]);
    if (call_.options.prediction)
      return app::print_prediction(call_.json, program_, predicted_before_,
                                   cells * static_cast<double>(steps_));
    queue_summary();
    output_.finish(step_, time_);
    const Summary sums = report_queued_summary();
    const double ns = steps_ == 0 ? 0 : 1e9 * seconds_ / (cells * static_cast<double>(steps_));
    say("{} steps in {:.2f} s: {:.1f} ns a cell and step, {} chains\n", steps_, seconds_, ns,
        counters_.chains);
    const bool tested = deck_.test_problem.has_value();
    const double right = tested ? reference<D>(*deck_.test_problem) : 0;
    const bool passed = tested && deviation(sums.kinetic_energy, right) <= kAllowedDeviation;
    if (call_.json) {
      Atoll::Json result{{"kinetic_energy", sums.kinetic_energy},
                         {"internal_energy", sums.internal_energy},
                         {"mass", sums.mass},
                         {"volume", sums.volume},
                         {"pressure", sums.mean_pressure()},
                         {"steps", step_},
                         {"time", time_},
                         {"time_step", time_step_},
                         {"ns_per_cell_step", ns},
                         {"chains", counters_.chains},
                         {"tiles", counters_.tiles},
                         {"queue_seconds", counters_.queue_seconds},
                         {"plan_seconds", counters_.plan_seconds},
                         {"seconds", seconds_}};
      if (tested) result["passed"] = passed;
      app::add_streamed(result, program_);
      fmt::print("{}\n", result.dump_sorted());
    }
    if (call_.options.report) say("\n{}", to_string(program_.report()));
    if (!tested) return;
    if (!passed)
      throw Atoll::Error::failed(
          fmt::format("{}: test_problem {}", call_.deck, *deck_.test_problem),
          fmt::format("the kinetic energy is {:.15g}, and should be {:.15g}", sums.kinetic_energy,
                      right),
          "0.001 % is allowed");
    say("test_problem {}: the kinetic energy is {:.2g} % off: PASSED\n", *deck_.test_problem,
        100 * deviation(sums.kinetic_energy, right));
  }

  /// The step whose summary is queued.
  struct Queued {
    std::int64_t step;
    double time, time_step;
  };

  const Call& call_;
  const Deck& deck_;
  st::Program program_;
  Fields<D> fields_;
  Hydro<D> hydro_;
  st::Reduction<double> sums_;
  st::Checkpoint state_;
  st::Output output_;
  std::int64_t step_ = 0, steps_ = 0;
  double time_ = 0, time_step_ = 0, seconds_ = 0;
  std::optional<Queued> queued_;
  st::Counters counters_;
  st::PredictedTimes predicted_before_;
};

template <int D>
int main_of(int argc, char** argv) {
  Call call{.name = fmt::format("cloverleaf{}d", D)};
  const Atoll::options::CommandLine app(
      fmt::format("CloverLeaf in {} dimensions: a gas that expands, by a deck (clover.in).", D),
      call.name);
  app.add_option("DECK", call.deck, "The deck's file").required();
  st::add_options(app, call.options);
  app.add_flag("--report", call.options.report, "Prints a table of all loops");
  app.add_flag("--json", call.json, "Prints one JSON object");
  st::add_options(app, call.output);
  app.footer(
      "A deck has lines between *clover and *endclover, such as:\n"
      "  state 1 density=0.2 energy=1.0\n"
      "  state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0 xmax=5 ymin=0 ymax=2\n"
      "  x_cells=960\n"
      "docs/flow.md lists all keys.");
  return app::run(app, argc, argv, [&] {
    const Deck deck = read_deck(call.deck, D);
    check_memory<D>(deck, call.deck, app::room_for_fields(call.options), call.options);
    Run<D>(call, deck).go();
  });
}

}  // namespace clover
