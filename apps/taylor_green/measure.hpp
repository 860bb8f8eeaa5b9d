// Measurements of a flow: kinetic energy, its dissipation, and vorticity.
#pragma once

#include "step.hpp"

namespace taylor_green {

/// Means over the volume.
struct Measures {
  double kinetic_energy = 0;
  double dissipation =
      0;  ///< kinetic energy lost per unit of time: viscosity times vorticity squared
};

/// Component `C` of the vorticity, from the rows of the gradient; in two dimensions, only C = 2
/// exists.
template <int D, int C>
[[gnu::always_inline]] inline double vorticity(const double* gradient) {
  constexpr int i = (C + 1) % 3, j = (C + 2) % 3;
  return gradient[j * D + i] - gradient[i * D + j];
}

/// Queues the velocities of the present flow and their gradients.
template <int D>
void look(Flow<D>& flow, const Case& what) {
  wrap(flow);
  derive(flow, what);
  differentiate(flow);
}

/// Runs the queued loops and measures the flow.
template <int D>
Measures measure(Flow<D>& flow, const Case& what, const st::Reduction<double>& sums) {
  look(flow, what);
  const auto queue = [&](const auto&... fields) {
    flow.mesh.loop(
        "measure", flow.mesh.interior(),
        [](auto sum, auto density, auto... others) {
          const double all[] = {others(0, 0)...};
          double squares = 0;
          for (int i = 0; i < D; ++i) squares += all[i] * all[i];
          sum[0](0.5 * density(0, 0) * squares);
          const double* const gradient = all + D;
          double rotation = vorticity<D, 2>(gradient) * vorticity<D, 2>(gradient);
          if constexpr (D == 3)
            rotation += vorticity<D, 0>(gradient) * vorticity<D, 0>(gradient) +
                        vorticity<D, 1>(gradient) * vorticity<D, 1>(gradient);
          sum[1](rotation);
        },
        st::reduce_sum(sums), st::read(flow.density), st::read(fields)...);
  };
  std::apply(
      [&](const auto&... rows) { std::apply(queue, std::tuple_cat(flow.velocity, rows...)); },
      flow.gradient);
  const double points = what.points();
  return {sums.value(0) / points, sums.value(1) / points / what.reynolds};
}

/// Queues the vorticity along z.
template <int D>
void find_vorticity(Flow<D>& flow, const Case& what, const st::Field<double>& vorticity) {
  look(flow, what);
  flow.mesh.loop(
      "vorticity", flow.mesh.interior(),
      [](auto out, auto dv_dx, auto du_dy) { out(0, 0) = dv_dx(0, 0) - du_dy(0, 0); },
      st::write(vorticity), st::read(flow.gradient[1][0]), st::read(flow.gradient[0][1]));
}

}  // namespace taylor_green
