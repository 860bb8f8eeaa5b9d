// One time step: three stages, each a chain of loops from the conserved variables to their rates
// and back.
#pragma once

#include <tuple>
#include <utility>

#include "flow.hpp"

namespace taylor_green {

/// The axes 0 … D-1 as a pack: for_axes<D>([&]<int... A>(Axes<A...>) { … }).
template <int... A>
struct Axes {};
template <int D, class Body>
decltype(auto) for_axes(Body&& body) {
  return [&]<int... A>(std::integer_sequence<int, A...>) -> decltype(auto) {
    return body(Axes<A...>{});
  }(std::make_integer_sequence<int, D>{});
}
/// Calls body(std::integral_constant<int, A>) for each axis.
template <int D, class Body>
void for_each_axis(Body&& body) {
  for_axes<D>([&]<int... A>(Axes<A...>) { (body(std::integral_constant<int, A>{}), ...); });
}

/// Returns the mesh with `more` layers around it.
template <int D>
st::Range widened(const Flow<D>& flow, int more) {
  st::Range range = flow.mesh.interior();
  for (std::size_t d = 0; d < D; ++d) {
    range.lo[d] -= more;
    range.hi[d] += more;
  }
  return range;
}

/// Queues the periodic halos of the conserved variables.
template <int D>
void wrap(Flow<D>& flow) {
  for (int d = 0; d < D; ++d) {
    st::periodic(flow.density, d, kHalo);
    for (const auto& momentum : flow.momentum) st::periodic(momentum, d, kHalo);
    st::periodic(flow.energy, d, kHalo);
  }
}

/// Queues velocities, pressure and temperature, including the halo.
template <int D>
void derive(Flow<D>& flow, const Case& what) {
  const st::Range all = widened(flow, kHalo);
  for (std::size_t i = 0; i < D; ++i)
    flow.mesh.loop(
        "velocity", all,
        [](auto velocity, auto momentum, auto density) {
          velocity(0, 0) = momentum(0, 0) / density(0, 0);
        },
        st::write(flow.velocity[i]), st::read(flow.momentum[i]), st::read(flow.density));
  for_axes<D>([&]<int... A>(Axes<A...>) {
    flow.mesh.loop(
        "pressure", all,
        [](auto pressure, auto energy, auto density, auto... velocity) {
          const double squares = (... + (velocity(0, 0) * velocity(0, 0)));
          pressure(0, 0) = (kGamma - 1) * (energy(0, 0) - 0.5 * density(0, 0) * squares);
        },
        st::write(flow.pressure), st::read(flow.energy), st::read(flow.density),
        st::read(flow.velocity[A])...);
  });
  const double heat = kGamma * what.mach * what.mach;
  flow.mesh.loop(
      "temperature", all,
      [heat](auto temperature, auto pressure, auto density) {
        temperature(0, 0) = heat * pressure(0, 0) / density(0, 0);
      },
      st::write(flow.temperature), st::read(flow.pressure), st::read(flow.density));
}

/// Queues the gradient of the velocity.
template <int D>
void differentiate(Flow<D>& flow) {
  for (std::size_t i = 0; i < D; ++i)
    for_each_axis<D>([&](auto axis) {
      constexpr int A = axis;
      flow.mesh.loop(
          "gradient", widened(flow, 2),
          [w = flow.weights](auto gradient, auto velocity) {
            gradient(0, 0) = first<A>(w, velocity);
          },
          st::write(flow.gradient[i][A]), st::read(flow.velocity[i], st::line(A, -2, 2)));
    });
}

/// Queues the rates. Convection of momentum is half divergence, half advection, which conserves
/// kinetic energy (Feiereisen's form); that of energy and pressure is split in the same way.
template <int D>
void rates(Flow<D>& flow, const Case& what) {
  const Weights w = flow.weights;
  const double viscosity = 1 / what.reynolds;
  const double conduction = 1 / ((kGamma - 1) * what.mach * what.mach * kPrandtl * what.reynolds);
  const auto along_axis = [](int axis) { return st::line(axis, -2, 2); };
  for_axes<D>([&]<int... A>(Axes<A...>) {
    flow.mesh.loop(
        "density rate", flow.mesh.interior(),
        [w](auto rate, auto... momentum) { rate(0, 0) = -(... + first<A>(w, momentum)); },
        st::write(flow.density_rate), st::read(flow.momentum[A], along_axis(A))...);

    flow.mesh.loop(
        "energy rate", flow.mesh.interior(),
        [w, conduction](auto rate, auto energy, auto pressure, auto temperature, auto... velocity) {
          const auto total = [&](int x, int y, int z) {
            return energy(x, y, z) + pressure(x, y, z);
          };
          const double flux = (... + (first_of_product<A>(w, total, velocity) +
                                      velocity(0, 0) * first<A>(w, total) +
                                      total(0, 0, 0) * first<A>(w, velocity)));
          rate(0, 0) = -0.5 * flux + conduction * (... + second<A>(w, temperature));
        },
        st::write(flow.energy_rate), st::read(flow.energy, st::star(2, D)),
        st::read(flow.pressure, st::star(2, D)), st::read(flow.temperature, st::star(2, D)),
        st::read(flow.velocity[A], along_axis(A))...);

    for_each_axis<D>([&](auto axis) {
      static constexpr int I = decltype(axis)::value;  // static, because clang 16 would require a
                                                       // capture
      flow.mesh.loop(
          "momentum rate", flow.mesh.interior(),
          [w, viscosity](auto rate, auto energy_rate, auto pressure, auto velocity,
                         auto... others) {
            const auto all = std::forward_as_tuple(others...);
            // The momenta, the gradient of this velocity, and the diagonal of all gradients.
            const double convection = (... + (first_of_product<A>(w, std::get<A>(all), velocity) +
                                              velocity(0, 0) * first<A>(w, std::get<A>(all)) +
                                              std::get<A>(all)(0, 0) * std::get<D + A>(all)(0, 0)));
            // The divergence of the stress, which does work on the momentum along the axis.
            const double stress =
                (... + second<A>(w, velocity)) + (... + first<I>(w, std::get<2 * D + A>(all))) / 3;
            rate(0, 0) = -0.5 * convection - first<I>(w, pressure) + viscosity * stress;
            energy_rate(0, 0) += viscosity * velocity(0, 0) * stress;
          },
          st::write(flow.momentum_rate[I]), st::increment(flow.energy_rate),
          st::read(flow.pressure, along_axis(I)), st::read(flow.velocity[I], st::star(2, D)),
          st::read(flow.momentum[A], along_axis(A))..., st::read(flow.gradient[I][A])...,
          st::read(flow.gradient[A][A], along_axis(I))...);
    });
  });
  heat_by_friction(flow, what);
}

/// Queues the heat of friction: stress times gradient, which is viscosity times (twice the squares
/// of the diagonal, plus the squares of each pair's sum, minus two thirds of the squared
/// divergence).
template <int D>
void heat_by_friction(Flow<D>& flow, const Case& what) {
  const auto queue = [&](const auto&... gradients) {
    flow.mesh.loop(
        "heat of friction", flow.mesh.interior(),
        [viscosity = 1 / what.reynolds](auto rate, auto... gradient) {
          const double g[] = {gradient(0, 0)...};
          double squares = 0, divergence = 0;
          for (int i = 0; i < D; ++i) {
            divergence += g[i * D + i];
            squares += 2 * g[i * D + i] * g[i * D + i];
            for (int j = i + 1; j < D; ++j)
              squares += (g[i * D + j] + g[j * D + i]) * (g[i * D + j] + g[j * D + i]);
          }
          rate(0, 0) += viscosity * (squares - 2.0 / 3 * divergence * divergence);
        },
        st::increment(flow.energy_rate), st::read(gradients)...);
  };
  std::apply([&](const auto&... rows) { std::apply(queue, std::tuple_cat(rows...)); },
             flow.gradient);
}

/// Queues the end of a stage: variables from the previous ones and the rates.
template <int D>
void advance(Flow<D>& flow, double now_by, double before_by) {
  const auto one = [&](const auto& now, const auto& before, const auto& rate) {
    flow.mesh.loop(
        "advance", flow.mesh.interior(),
        [now_by, before_by](auto to, auto kept, auto change) {
          const double old = kept(0, 0), r = change(0, 0);
          to(0, 0) = old + now_by * r;
          kept(0, 0) = old + before_by * r;
        },
        st::write(now), st::read_write(before), st::read(rate));
  };
  one(flow.density, flow.density_before, flow.density_rate);
  for (std::size_t i = 0; i < D; ++i)
    one(flow.momentum[i], flow.momentum_before[i], flow.momentum_rate[i]);
  one(flow.energy, flow.energy_before, flow.energy_rate);
}

/// Queues a time step. Both weights of the last stage are equal, so the kept variables become the
/// new ones.
template <int D>
void step(Flow<D>& flow, const Case& what) {
  constexpr std::array<double, 3> now{2.0 / 3, 5.0 / 12, 3.0 / 5};
  constexpr std::array<double, 3> before{1.0 / 4, 3.0 / 20, 3.0 / 5};
  for (std::size_t stage = 0; stage < 3; ++stage) {
    wrap(flow);
    derive(flow, what);
    differentiate(flow);
    rates(flow, what);
    advance(flow, now[stage] * what.dt, before[stage] * what.dt);
  }
}

}  // namespace taylor_green
