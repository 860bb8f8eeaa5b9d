// Summary of a run: sums over the mesh, and comparison of the kinetic energy with the reference.
#pragma once

#include <array>
#include <cmath>
#include <optional>

#include "fields.hpp"

namespace clover {

/// Sums over all cells.
struct Summary {
  double volume = 0, mass = 0, internal_energy = 0, kinetic_energy = 0;
  double pressure = 0;  ///< multiplied by volume

  [[nodiscard]] double density() const { return mass / volume; }
  [[nodiscard]] double mean_pressure() const { return pressure / volume; }
};

/// Queues the loop that computes the sums. The pressure must be that of density0 and energy0.
template <int D>
void queue_summary(Fields<D>& fields, const st::Reduction<double>& sums) {
  const st::Stencil corners = st::box({0, 0, 0}, {1, 1, D - 2});
  const auto queue = [&](const auto&... velocity) {
    fields.mesh.loop(
        "summary", fields.mesh.interior(),
        [](auto sum, auto volume, auto density, auto energy, auto pressure, const auto&... v) {
          double squares = 0;
          for (int z = 0; z <= D - 2; ++z)
            for (int y = 0; y <= 1; ++y)
              for (int x = 0; x <= 1; ++x) squares += (... + (v(x, y, z) * v(x, y, z)));
          const double cell = volume(0, 0, 0), mass = cell * density(0, 0, 0);
          sum[0](cell);
          sum[1](mass);
          sum[2](mass * energy(0, 0, 0));
          sum[3](mass * 0.5 * (squares * (D == 2 ? 0.25 : 0.125)));
          sum[4](cell * pressure(0, 0, 0));
        },
        st::reduce_sum(sums), st::read(fields.volume), st::read(fields.density0),
        st::read(fields.energy0), st::read(fields.pressure), st::read(velocity, corners)...);
  };
  std::apply(queue, fields.velocity0);
}

/// Returns the sums. Runs the queued loops.
inline Summary summary_of(const st::Reduction<double>& sums) {
  return {sums.value(0), sums.value(1), sums.value(2), sums.value(3), sums.value(4)};
}

/// Returns the kinetic energy that test_problem N must end with.
template <int D>
double reference(int problem) {
  static constexpr std::array<double, 5> flat{1.82280367310258, 1.19316898756307, 2.58984003503994,
                                              0.307475452287895, 4.85350315783719};
  static constexpr std::array<double, 4> solid{3.64560737191257, 20.0546870878964, 0.37517221925665,
                                               17.9845165368889};
  const auto index = static_cast<std::size_t>(problem - 1);
  return D == 2 ? flat.at(index) : solid.at(index);
}

/// Returns the relative deviation from the reference; 0.001 % is allowed.
inline double deviation(double kinetic_energy, double reference) {
  return std::abs(kinetic_energy / reference - 1);
}
inline constexpr double kAllowedDeviation = 1e-5;

}  // namespace clover
