// Untiled loops of the module relative to handwritten ones (peers/stencil_by_hand.hpp). Both use
// the same arrays in alternation, because different pages would change times more than the loops
// do.
#pragma once

#include <omp.h>

#include <cmath>
#include <functional>
#include <vector>

#include "../apps/cloverleaf/kernels.hpp"
#include "../apps/cloverleaf/kernels2d.hpp"
#include "../apps/cloverleaf/start.hpp"
#include "peers/stencil_by_hand.hpp"
#include "stencil_deck.hpp"
#include "stencil_flows.hpp"

namespace Atoll::bench {

/// A loop in both versions. `outputs` are the fields that it writes.
struct LoopPair {
  std::string name;
  double points = 0;
  std::function<void()> queue, by_hand;
  std::vector<st::Field<double>> outputs;
};

/// Fills a field, including its halo, with varying numbers around `middle`.
inline void fill(const st::Field<double>& field, double middle, double range) {
  const auto values = field.edit();
  const st::Range& all = values.whole();
  for (int z = all.lo[2]; z < all.hi[2]; ++z)
    for (int y = all.lo[1]; y < all.hi[1]; ++y)
      for (int x = all.lo[0]; x < all.hi[0]; ++x)
        values(x, y, z) = middle + range * std::sin(0.37 * x + 0.11 * y + 0.23 * z);
}
inline double* origin(const st::Field<double>& field) {
  return reinterpret_cast<double*>(field.storage().at(0, 0, 0));
}

/// Adds a row: a loop relative to the handwritten one, in nanoseconds per point. The minimum of all
/// rounds is used, because other programs only add time.
inline void loop_row(Suite& suite, st::Program& program, const LoopPair& pair, int rounds) {
  const int threads = program.team().size();
  omp_set_num_threads(threads);  // the team uses OpenMP's threads
  const auto start = [&] {
    for (std::size_t i = 0; i < pair.outputs.size(); ++i) fill(pair.outputs[i], 1.5 + i, 0.5);
  };
  const auto outputs = [&] {
    std::vector<std::vector<double>> values;
    for (const auto& field : pair.outputs) values.push_back(field.copy());
    return values;
  };
  start();
  pair.queue();
  const auto ours = outputs();
  start();
  pair.by_hand();
  const std::string title =
      fmt::format("{}, {} thread{}", pair.name, threads, threads == 1 ? "" : "s");
  require(outputs() == ours, title + ": not what the loop by hand gives");
  start();

  // Enough repeats to make the start of threads and the recognition of the chain negligible.
  const int repeats = std::max(1, static_cast<int>(2e7 / pair.points));
  const std::vector<std::function<void()>> variants{[&] {
                                                      for (int i = 0; i < repeats; ++i)
                                                        pair.queue();
                                                      program.run();
                                                    },
                                                    [&] {
                                                      for (int i = 0; i < repeats; ++i)
                                                        pair.by_hand();
                                                    }};
  const auto times = alternate(variants, rounds, threads == 1 ? Clock::cpu : Clock::wall);
  const double scale = 1e9 / pair.points / repeats;
  suite.row(title, "ns", times[0].least * scale, "by hand", times[1].least * scale, times[0].spread,
            {{"threads", threads},
             {"median", times[0].median * scale},
             {"median_by_hand", times[1].median * scale}});
}

/// Gas, PdV and the advection of cells on n x n cells.
inline void cloverleaf_loop_rows(Suite& suite, int threads, int n, int rounds) {
  namespace k = clover::kernels;
  namespace k2 = clover::kernels2d;
  st::Program program({.threads = threads, .mode = st::Mode::untiled});
  const clover::Deck deck = clover_deck<2>(n);
  clover::Fields<2> f(program, deck);
  clover::start(f, deck);
  program.run();
  const auto [u, v] = f.velocity0;
  const auto [u1, v1] = f.velocity1;
  const auto [area_x, area_y] = f.area;
  const auto flux = f.volume_flux[0], mass = f.mass_flux[0];
  // The flow's own fields are temporary: only a chain that writes them may read them.
  const auto before = f.mesh.field<double>("volume before", {.halo = 2});
  const auto energy_flux =
      f.mesh.field<double>("energy flux", {.halo = 2, .staggered = {true, true, false}});
  for (const auto& velocity : {u, v, u1, v1}) fill(velocity, 0, 0.1);
  for (const auto& field : {f.density0, f.energy0, f.pressure, f.viscosity}) fill(field, 1.5, 0.5);
  const double volume = deck.cell_size(0) * deck.cell_size(1);
  fill(before, volume, 0.1 * volume);
  fill(flux, 0, 1e-6 * volume);  // so small that values hardly change after many repeats
  const by_hand::Strides strides{f.pressure.storage().stride_y(), u.storage().stride_y(),
                                 area_x.storage().stride_y(), area_y.storage().stride_y()};
  const st::Range cells = f.mesh.interior();
  const double points = deck.cells[0] * static_cast<double>(deck.cells[1]), dt = 1e-4;
  const auto whole = st::line(0, 0, 1), up = st::line(1, 0, 1);
  const auto corners = st::box({0, 0, 0}, {1, 1, 0});

  const LoopPair gas{fmt::format("gas {}", n),
                     points,
                     [&] {
                       f.mesh.loop("gas", cells, k::gas<2>(), st::read(f.density0),
                                   st::read(f.energy0), st::write(f.pressure), st::write(f.sound));
                     },
                     [&] {
                       by_hand::gas(n, n, strides.cell, origin(f.density0), origin(f.energy0),
                                    origin(f.pressure), origin(f.sound));
                     },
                     {f.pressure, f.sound}};
  const LoopPair pdv{fmt::format("PdV {}", n),
                     points,
                     [&] {
                       f.mesh.loop("PdV", cells, k2::pdv(dt), st::read(u, corners),
                                   st::read(v, corners), st::read(u1, corners),
                                   st::read(v1, corners), st::read(area_x, whole),
                                   st::read(area_y, up), st::read(f.volume), st::read(f.pressure),
                                   st::read(f.viscosity), st::read(f.density0), st::read(f.energy0),
                                   st::write(f.density1), st::write(f.energy1));
                     },
                     [&] {
                       by_hand::pdv(n, n, strides, dt, origin(u), origin(v), origin(u1), origin(v1),
                                    origin(area_x), origin(area_y), origin(f.volume),
                                    origin(f.pressure), origin(f.viscosity), origin(f.density0),
                                    origin(f.energy0), origin(f.density1), origin(f.energy1));
                     },
                     {f.density1, f.energy1}};
  const LoopPair advection{
      fmt::format("cell advection {}", n),
      points,
      [&] {
        f.mesh.loop("cell flux", f.all_faces(0), k::cell_flux<2, 0>(), st::read(flux),
                    st::read(before, st::line(0, -1, 0)), st::read(f.density1, st::line(0, -2, 1)),
                    st::read(f.energy1, st::line(0, -2, 1)), st::write(mass),
                    st::write(energy_flux));
        f.mesh.loop("cell update", cells, k::cell_update<2, 0>(), st::read(flux, whole),
                    st::read(before), st::read(mass, whole), st::read(energy_flux, whole),
                    st::read_write(f.density1), st::read_write(f.energy1));
      },
      [&] {
        by_hand::advect_cells(n, n, strides, origin(flux), origin(before), origin(mass),
                              origin(energy_flux), origin(f.density1), origin(f.energy1));
      },
      {f.density1, f.energy1}};
  for (const LoopPair& pair : {gas, pdv, advection}) loop_row(suite, program, pair, rounds);
}

/// A step of the heat equation on n^3 points.
inline void heat_row(Suite& suite, int threads, int n, int rounds) {
  st::Program program({.threads = threads, .mode = st::Mode::untiled});
  st::Mesh& cube = program.mesh("cube", {n, n, n});
  const auto u = cube.field<double>("u", {.halo = 1}), out = cube.field<double>("out", {.halo = 1});
  fill(u, 1, 0.5);
  const double a = 0.125;
  const LoopPair heat{
      fmt::format("heat {}", n),
      std::pow(n, 3),
      [&] {
        cube.loop(
            "heat", cube.interior(),
            [a](auto v, auto next) {
              next(0, 0, 0) =
                  v(0, 0, 0) + a * (v(-1, 0, 0) + v(1, 0, 0) + v(0, -1, 0) + v(0, 1, 0) +
                                    v(0, 0, -1) + v(0, 0, 1) - 6 * v(0, 0, 0));
            },
            st::read(u, st::star(1)), st::write(out));
      },
      [&] {
        const auto& storage = u.storage();
        by_hand::heat(n, storage.stride_y(), storage.stride_z(), a, origin(u), origin(out));
      },
      {out}};
  loop_row(suite, program, heat, rounds);
}

}  // namespace Atoll::bench
