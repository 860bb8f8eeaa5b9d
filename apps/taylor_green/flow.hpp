// The Taylor-Green vortex: a compressible gas in a periodic square or cube of side 2 pi, whose
// large vortices break into small ones. Density, momentum and energy are conserved variables; sound
// is fast (Mach 0.1), so that the flow is nearly incompressible. Modelled on OpenSBLI's program in
// the out-of-core paper [out-of-core §5.1]: fourth-order central differences, three Runge-Kutta
// stages.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <atoll/stencil/stencil.hpp>

#include "derivative.hpp"

namespace taylor_green {

namespace st = Atoll::stencil;

/// Parameters of a flow.
struct Case {
  int dimensions = 3;
  int size = 64;    ///< points in each dimension of a period
  int periods = 1;  ///< of the flow along the last dimension
  double reynolds = 100;
  double mach = 0.1;
  double dt = 0;  ///< 0 means 0.05 spacings, limited to half of the time step that sound allows

  [[nodiscard]] double spacing() const { return 2 * std::numbers::pi / size; }
  /// Number of points of the mesh.
  [[nodiscard]] double points() const { return std::pow(size, dimensions) * periods; }
};

inline constexpr double kGamma = 1.4;  ///< ratio of specific heats
inline constexpr double kPrandtl = 0.71;
/// Derivatives of derivatives reach two points each.
inline constexpr int kHalo = 4;

/// The fields of a flow in D dimensions: 29 in three dimensions.
template <int D>
class Flow {
 public:
  using Field = st::Field<double>;
  using Vector = std::array<Field, D>;

  Flow(st::Program& program, const Case& what)
      : mesh(program.mesh("flow", sizes(what))), weights(what.spacing()) {
    const auto conserved = [&](const std::string& name, Field& now, Field& before, Field& rate) {
      now = mesh.field<double>(name, {.halo = kHalo});
      before = mesh.field<double>(name + " before");
      rate = mesh.field<double>(name + " rate", {.temporary = true});
    };
    const auto derived = [&](const std::string& name, int halo) {
      return mesh.field<double>(name, {.halo = halo, .temporary = true});
    };
    conserved("density", density, density_before, density_rate);
    conserved("energy", energy, energy_before, energy_rate);
    for (int i = 0; i < D; ++i) {
      conserved(std::string("momentum ") + kAxes[i], at(momentum, i), at(momentum_before, i),
                at(momentum_rate, i));
      at(velocity, i) = derived(std::string(1, kAxes[i]) + " velocity", kHalo);
      for (int j = 0; j < D; ++j)
        at(at(gradient, i), j) = derived(std::string("d") + kAxes[i] + " velocity/d" + kAxes[j], 2);
    }
    pressure = derived("pressure", kHalo);
    temperature = derived("temperature", kHalo);
  }

  static constexpr const char* kAxes = "xyz";
  template <class T, std::size_t N>
  static T& at(std::array<T, N>& list, int i) {
    return list[static_cast<std::size_t>(i)];
  }

  st::Mesh& mesh;
  Weights weights;
  Field density, energy, density_before, energy_before, density_rate, energy_rate;
  Vector momentum, momentum_before, momentum_rate;
  Vector velocity;
  std::array<Vector, D> gradient;  ///< [i][j] is the derivative of velocity i along axis j
  Field pressure, temperature;

 private:
  static std::array<int, D> sizes(const Case& what) {
    std::array<int, D> all{};
    all.fill(what.size);
    all.back() *= what.periods;
    return all;
  }
};

/// Queues the initial state: vortices at a uniform temperature, with the pressure that balances
/// them.
template <int D>
void start(Flow<D>& flow, const Case& what) {
  const double h = what.spacing(), base = 1 / (kGamma * what.mach * what.mach);
  const double heat = kGamma * what.mach * what.mach;
  const auto kernel = [=](auto density, auto energy, const st::Index& index, auto... momentum) {
    const double x = h * index.x, y = h * index.y, z = h * index.z;
    double u = std::sin(x) * std::cos(y), v = -std::cos(x) * std::sin(y), p = base;
    if constexpr (D == 3) {
      u *= std::cos(z);
      v *= std::cos(z);
      p += (std::cos(2 * x) + std::cos(2 * y)) * (2 + std::cos(2 * z)) / 16;
    } else {
      p += (std::cos(2 * x) + std::cos(2 * y)) / 4;
    }
    const double rho = heat * p;  // the temperature is 1
    const double velocity[3] = {u, v, 0};
    int i = 0;
    ((momentum(0, 0) = rho * velocity[i++]), ...);
    density(0, 0) = rho;
    energy(0, 0) = p / (kGamma - 1) + 0.5 * rho * (u * u + v * v);
  };
  std::apply(
      [&](const auto&... momentum) {
        flow.mesh.loop("start", flow.mesh.interior(), kernel, st::write(flow.density),
                       st::write(flow.energy), st::index(), st::write(momentum)...);
      },
      flow.momentum);
  const auto keep = [&](const auto& now, const auto& before) {
    flow.mesh.loop(
        "keep", flow.mesh.interior(), [](auto to, auto from) { to(0, 0) = from(0, 0); },
        st::write(before), st::read(now));
  };
  keep(flow.density, flow.density_before);
  keep(flow.energy, flow.energy_before);
  for (std::size_t i = 0; i < D; ++i) keep(flow.momentum[i], flow.momentum_before[i]);
}

}  // namespace taylor_green
