// CloverLeaf 2D: kernels of its Lagrangian phase. u, v are the velocities at nodes, X and Y the
// areas of faces, V the volumes of cells; f(a, b) is the value at offset a in x, b in y.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace clover::kernels2d {

using Size = std::array<double, 3>;  ///< extent of a cell along each axis

/// Artificial viscosity of cells that are being compressed.
inline auto viscosity(Size d) {
  return [dx = d[0], dy = d[1], half_x = 0.5 / d[0], half_y = 0.5 / d[1]](
             const auto& u, const auto& v, const auto& p, const auto& density, const auto& q) {
    const double du = u(1, 0) + u(1, 1) - u(0, 0) - u(0, 1);
    const double dv = v(0, 1) + v(1, 1) - v(0, 0) - v(1, 0);
    const double shear = (u(0, 1) + u(1, 1) - u(0, 0) - u(1, 0)) * half_y +
                         (v(1, 0) + v(1, 1) - v(0, 0) - v(0, 1)) * half_x;
    const double gx = (p(1, 0) - p(-1, 0)) * half_x, gy = (p(0, 1) - p(0, -1)) * half_y;
    const double strain = (du * half_x * gx * gx + dv * half_y * gy * gy + shear * gx * gy) /
                          std::max(gx * gx + gy * gy, 1e-16);
    // The square of the smaller of dx·g/|gx| and dy·g/|gy|, where g is the length of the gradient.
    const double ax = std::max(std::abs(gx), 1e-16), ay = std::max(std::abs(gy), 1e-16);
    const double steepest = std::max(ax / dx, ay / dy);
    const double value =
        2 * density(0, 0) * strain * strain * (ax * ax + ay * ay) / (steepest * steepest);
    const bool compressed = (strain <= 0) & (dx * du + dy * dv < 0);
    q(0, 0) = compressed ? value : 0.0;
  };
}

/// Maximum time step of a cell, limited by sound, the flow along each axis, and the change of
/// volume.
inline auto time_step(Size d) {
  return [shortest = std::min(d[0], d[1])](const auto& sound, const auto& q, const auto& density,
                                           const auto& u, const auto& v, const auto& X,
                                           const auto& Y, const auto& V) {
    const double volume = V(0, 0), c = sound(0, 0);
    const double of_sound =
        0.7 * shortest / std::max(std::sqrt(c * c + 2 * q(0, 0) / density(0, 0)), 1e-16);
    const double left = (u(0, 0) + u(0, 1)) * X(0, 0), right = (u(1, 0) + u(1, 1)) * X(1, 0);
    const double bottom = (v(0, 0) + v(1, 0)) * Y(0, 0), top = (v(0, 1) + v(1, 1)) * Y(0, 1);
    const double of_u = volume / std::max({std::abs(left), std::abs(right), 1e-16 * volume});
    const double of_v = volume / std::max({std::abs(bottom), std::abs(top), 1e-16 * volume});
    const double divergence = (right - left + top - bottom) / (2 * volume);
    const double of_volume = divergence < -1e-16 ? -0.7 / divergence : 1e21;
    return std::min(std::min(of_sound, of_u), std::min(of_v, of_volume));
  };
}

/// Work of pressure and viscosity during time h, in which the velocities change from u, v to u1,
/// v1.
inline auto pdv(double h) {
  return [quarter = 0.25 * h](const auto& u, const auto& v, const auto& u1, const auto& v1,
                              const auto& X, const auto& Y, const auto& V, const auto& p,
                              const auto& q, const auto& density, const auto& energy,
                              const auto& density1, const auto& energy1) {
    const double left = X(0, 0) * (u(0, 0) + u(0, 1) + u1(0, 0) + u1(0, 1));
    const double right = X(1, 0) * (u(1, 0) + u(1, 1) + u1(1, 0) + u1(1, 1));
    const double bottom = Y(0, 0) * (v(0, 0) + v(1, 0) + v1(0, 0) + v1(1, 0));
    const double top = Y(0, 1) * (v(0, 1) + v(1, 1) + v1(0, 1) + v1(1, 1));
    const double flow = quarter * (right - left + top - bottom), volume = V(0, 0);
    energy1(0, 0) = energy(0, 0) - (p(0, 0) + q(0, 0)) * flow / (density(0, 0) * volume);
    density1(0, 0) = density(0, 0) * volume / (volume + flow);
  };
}

/// The same with the old velocities only, for half the time step.
inline auto pdv_predict(double h) {
  return [whole = pdv(h)](const auto& u, const auto& v, const auto&... rest) {
    whole(u, v, u, v, rest...);
  };
}

/// Acceleration of nodes by the pressure and viscosity of the adjacent cells.
inline auto accelerate(double dt) {
  return [dt](const auto& density, const auto& V, const auto& p, const auto& q, const auto& X,
              const auto& Y, const auto& u, const auto& v, const auto& u1, const auto& v1) {
    const double mass = density(-1, -1) * V(-1, -1) + density(0, -1) * V(0, -1) +
                        density(0, 0) * V(0, 0) + density(-1, 0) * V(-1, 0);
    const double s = 2 * dt / mass;  // half of dt, a quarter of the mass
    const auto push_x = [&](const auto& f) {
      return X(0, 0) * (f(0, 0) - f(-1, 0)) + X(0, -1) * (f(0, -1) - f(-1, -1));
    };
    const auto push_y = [&](const auto& f) {
      return Y(0, 0) * (f(0, 0) - f(0, -1)) + Y(-1, 0) * (f(-1, 0) - f(-1, -1));
    };
    u1(0, 0) = u(0, 0) - s * (push_x(p) + push_x(q));
    v1(0, 0) = v(0, 0) - s * (push_y(p) + push_y(q));
  };
}

/// Volume flux through a face in a time step.
inline auto flux_x(double dt) {
  return [quarter = 0.25 * dt](const auto& X, const auto& u, const auto& u1, const auto& F) {
    F(0, 0) = quarter * X(0, 0) * (u(0, 0) + u(0, 1) + u1(0, 0) + u1(0, 1));
  };
}
inline auto flux_y(double dt) {
  return [quarter = 0.25 * dt](const auto& Y, const auto& v, const auto& v1, const auto& G) {
    G(0, 0) = quarter * Y(0, 0) * (v(0, 0) + v(1, 0) + v1(0, 0) + v1(1, 0));
  };
}

}  // namespace clover::kernels2d
