// Kernels of CloverLeaf that are common to 2D and 3D: equation of state, and advection sweeps of
// mass, energy and momentum along an axis.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>

#include "offsets.hpp"

namespace clover::kernels {

/// Pressure and speed of sound of an ideal gas (gamma 1.4).
template <int D>
auto gas() {
  return [](const auto& density, const auto& energy, const auto& p, const auto& sound) {
    const double r = at<D>(density, 0, 0, 0), v = 1.0 / r;
    const double pressure = 0.4 * r * at<D>(energy, 0, 0, 0);
    at<D>(p, 0, 0, 0) = pressure;
    at<D>(sound, 0, 0, 0) = std::sqrt(v * v * (0.4 * r * pressure + r * pressure));
  };
}

/// Limited difference of a second-order upwind scheme: `a` is the difference upstream of the donor,
/// `b` the one downstream, `s` the fraction of the donor that leaves.
inline double limited(double a, double b, double s) {
  const double abs_a = std::abs(a), abs_b = std::abs(b);
  const double mixed = ((1 + s) * abs_a + (2 - s) * abs_b) * (1.0 / 6.0);
  const double least = std::min(std::min(abs_a, abs_b), mixed);
  return a * b > 0 ? std::copysign(least, b) : 0.0;
}

/// Net outflow of a cell along the axis.
template <int D, int Axis, class F>
double outflow(const F& flux) {
  return along<D, Axis>(flux, 1) - along<D, Axis>(flux, 0);
}

/// Mass and energy fluxes through a face along the axis, from the upstream cell. `before` is the
/// volume of cells before the sweep.
template <int D, int Axis>
auto cell_flux() {
  return [](const auto& flux, const auto& before, const auto& density, const auto& energy,
            const auto& mass_flux, const auto& energy_flux) {
    const auto get = [](const auto& f, int k) { return along<D, Axis>(f, k); };
    const double volume = along<D, Axis>(flux, 0);
    const bool forward = volume > 0;
    // The upstream, donor and downstream cells are at -2, -1, 0 for forward flow, and at 1, 0, -1
    // for backward flow.
    const double before_d = forward ? get(before, -1) : get(before, 0);
    const double r_m2 = get(density, -2), r_m1 = get(density, -1), r_0 = get(density, 0),
                 r_1 = get(density, 1);
    const double e_m2 = get(energy, -2), e_m1 = get(energy, -1), e_0 = get(energy, 0),
                 e_1 = get(energy, 1);
    const double r_up = forward ? r_m2 : r_1, r_d = forward ? r_m1 : r_0,
                 r_down = forward ? r_0 : r_m1;
    const double e_up = forward ? e_m2 : e_1, e_d = forward ? e_m1 : e_0,
                 e_down = forward ? e_0 : e_m1;
    const double s = std::abs(volume) / before_d;
    const double mass = volume * (r_d + (1 - s) * limited(r_d - r_up, r_down - r_d, s));
    const double part = std::abs(mass) / (r_d * before_d);
    along<D, Axis>(mass_flux, 0) = mass;
    along<D, Axis>(energy_flux, 0) =
        mass * (e_d + (1 - part) * limited(e_d - e_up, e_down - e_d, s));
  };
}

/// Density and energy of cells after the fluxes through their faces.
template <int D, int Axis>
auto cell_update() {
  return [](const auto& flux, const auto& before, const auto& mass_flux, const auto& energy_flux,
            const auto& density, const auto& energy) {
    const double volume = at<D>(before, 0, 0, 0);
    double& r = at<D>(density, 0, 0, 0);
    double& e = at<D>(energy, 0, 0, 0);
    const double old_mass = r * volume;
    const double mass = old_mass - outflow<D, Axis>(mass_flux);
    const double new_energy = (e * old_mass - outflow<D, Axis>(energy_flux)) / mass;
    r = mass / (volume - outflow<D, Axis>(flux));
    e = new_energy;
  };
}

/// Mass flux from a node to the next one along the axis.
template <int D, int Axis>
auto node_flux() {
  return [](const auto& mass_flux, const auto& node_flux) {
    // Uses the faces around the node, before and after it along the axis.
    at<D>(node_flux, 0, 0, 0) =
        (face<D, Axis>(mass_flux, 0, -1) + face<D, Axis>(mass_flux, 1, -1)) *
        (D == 2 ? 0.25 : 0.125);
  };
}

/// Masses of nodes before and after the sweep; `after_cells` is the volume of cells after it.
template <int D, int Axis>
auto node_masses() {
  return [](const auto& density, const auto& after_cells, const auto& node_flux, const auto& before,
            const auto& after) {
    double sum = 0;
    for (int z = D == 2 ? 0 : -1; z <= 0; ++z)
      for (int y = -1; y <= 0; ++y)
        for (int x = -1; x <= 0; ++x) sum += at<D>(density, x, y, z) * at<D>(after_cells, x, y, z);
    const double mass = sum * (D == 2 ? 0.25 : 0.125);
    at<D>(after, 0, 0, 0) = mass;
    at<D>(before, 0, 0, 0) = mass - along<D, Axis>(node_flux, -1) + along<D, Axis>(node_flux, 0);
  };
}

/// Momentum flux from a node to the next one for each component; `components` are the velocities
/// followed by the fluxes.
template <int D, int Axis>
auto momentum_flux() {
  return [](const auto& flux, const auto& mass_before, const auto&... components) {
    const double f = at<D>(flux, 0, 0, 0);
    const bool forward = !(f < 0);
    const double mass_0 = along<D, Axis>(mass_before, 0), mass_1 = along<D, Axis>(mass_before, 1);
    const double s = std::abs(f) / (forward ? mass_0 : mass_1);
    const auto all = std::tie(components...);
    const auto one = [&](const auto& w, const auto& momentum) {
      const double w_m1 = along<D, Axis>(w, -1), w_0 = along<D, Axis>(w, 0),
                   w_1 = along<D, Axis>(w, 1), w_2 = along<D, Axis>(w, 2);
      const double up = forward ? w_m1 : w_2, donor = forward ? w_0 : w_1,
                   down = forward ? w_1 : w_0;
      at<D>(momentum, 0, 0, 0) = f * (donor + (1 - s) * limited(donor - up, down - donor, s));
    };
    one(std::get<0>(all), std::get<D>(all));
    one(std::get<1>(all), std::get<D + 1>(all));
    if constexpr (D == 3) one(std::get<2>(all), std::get<D + 2>(all));
  };
}

/// Velocities after the momentum fluxes; `components` are the fluxes followed by the velocities.
template <int D, int Axis>
auto momentum_update() {
  return [](const auto& mass_before, const auto& mass_after, const auto&... components) {
    const double before = at<D>(mass_before, 0, 0, 0);
    const double inverse = 1.0 / at<D>(mass_after, 0, 0, 0);
    const auto all = std::tie(components...);
    const auto one = [&](const auto& momentum, const auto& w) {
      double& value = at<D>(w, 0, 0, 0);
      value =
          (value * before + along<D, Axis>(momentum, -1) - along<D, Axis>(momentum, 0)) * inverse;
    };
    one(std::get<0>(all), std::get<D>(all));
    one(std::get<1>(all), std::get<D + 1>(all));
    if constexpr (D == 3) one(std::get<2>(all), std::get<D + 2>(all));
  };
}

}  // namespace clover::kernels
