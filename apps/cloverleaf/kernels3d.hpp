// CloverLeaf 3D: kernels of its Lagrangian phase. u, v, w are the velocities at nodes, X, Y and Z
// the areas of faces, V the volumes of cells.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "offsets.hpp"

namespace clover::kernels3d {

using Size = std::array<double, 3>;  ///< extent of a cell along each axis

/// Difference along the axis between the sums over the two faces of the cell.
template <int Axis, class F>
double difference(const F& f) {
  return face<3, Axis>(f, 1, 0) - face<3, Axis>(f, 0, 0);
}

/// Artificial viscosity of cells that are being compressed.
inline auto viscosity(Size d) {
  return [d, x4 = 0.25 / d[0], y4 = 0.25 / d[1], z4 = 0.25 / d[2]](
             const auto& u, const auto& v, const auto& w, const auto& X, const auto& Y,
             const auto& Z, const auto& p, const auto& density, const auto& q) {
    const double du = difference<0>(u), dv = difference<1>(v), dw = difference<2>(w);
    const double gx = (p(1, 0, 0) - p(-1, 0, 0)) * 2 * x4, gy = (p(0, 1, 0) - p(0, -1, 0)) * 2 * y4,
                 gz = (p(0, 0, 1) - p(0, 0, -1)) * 2 * z4;
    const double xy = difference<1>(u) * y4 + difference<0>(v) * x4;
    const double xz = difference<2>(u) * z4 + difference<0>(w) * x4;
    const double yz = difference<2>(v) * z4 + difference<1>(w) * y4;
    const double strain = (du * x4 * gx * gx + dv * y4 * gy * gy + dw * z4 * gz * gz +
                           xy * gx * gy + xz * gx * gz + yz * gy * gz) /
                          std::max(gx * gx + gy * gy + gz * gz, 1e-16);
    const double divergence = X(0, 0, 0) * du + Y(0, 0, 0) * dv + Z(0, 0, 0) * dw;
    // The square of the smallest of dx·g/|gx|, dy·g/|gy| and dz·g/|gz|, where g is the length of
    // the gradient.
    const double ax = std::max(std::abs(gx), 1e-16), ay = std::max(std::abs(gy), 1e-16),
                 az = std::max(std::abs(gz), 1e-16);
    const double steepest = std::max(std::max(ax / d[0], ay / d[1]), az / d[2]);
    const double value = 2 * density(0, 0, 0) * strain * strain * (ax * ax + ay * ay + az * az) /
                         (steepest * steepest);
    const bool compressed = (strain <= 0) & (divergence < 0);
    q(0, 0, 0) = compressed ? value : 0.0;
  };
}

/// Maximum time step of a cell, limited by sound, the flow along each axis, and the change of
/// volume.
inline auto time_step(Size d) {
  return [shortest = std::min({d[0], d[1], d[2]})](
             const auto& sound, const auto& q, const auto& density, const auto& u, const auto& v,
             const auto& w, const auto& X, const auto& Y, const auto& Z, const auto& V) {
    const double volume = V(0, 0, 0), c = sound(0, 0, 0);
    const double of_sound = 0.75 * shortest / std::sqrt(c * c + 2 * q(0, 0, 0) / density(0, 0, 0));
    const double left = face<3, 0>(u, 0, 0) * X(0, 0, 0), right = face<3, 0>(u, 1, 0) * X(0, 0, 0);
    const double low = face<3, 1>(v, 0, 0) * Y(0, 0, 0), high = face<3, 1>(v, 1, 0) * Y(0, 0, 0);
    const double back = face<3, 2>(w, 0, 0) * Z(0, 0, 0), front = face<3, 2>(w, 1, 0) * Z(0, 0, 0);
    // The shortest time is that of the largest flow, so that one division suffices.
    const double change = std::abs(right - left + high - low + front - back);
    double flow = std::max(std::max(std::abs(left), std::abs(right)), 1e-5 * volume);
    flow = std::max(flow, std::max(std::abs(low), std::abs(high)));
    flow = std::max(flow, std::max(std::abs(back), std::abs(front)));
    return std::min(of_sound, 2 * volume / std::max(flow, change));
  };
}

/// Work of pressure and viscosity during time h, in which the velocities change from u, v, w to u1,
/// v1, w1.
inline auto pdv(double h) {
  return [eighth = 0.125 * h](const auto& u, const auto& v, const auto& w, const auto& u1,
                              const auto& v1, const auto& w1, const auto& X, const auto& Y,
                              const auto& Z, const auto& V, const auto& p, const auto& q,
                              const auto& density, const auto& energy, const auto& density1,
                              const auto& energy1) {
    const double left = X(0, 0, 0) * (face<3, 0>(u, 0, 0) + face<3, 0>(u1, 0, 0));
    const double right = X(1, 0, 0) * (face<3, 0>(u, 1, 0) + face<3, 0>(u1, 1, 0));
    const double low = Y(0, 0, 0) * (face<3, 1>(v, 0, 0) + face<3, 1>(v1, 0, 0));
    const double high = Y(0, 1, 0) * (face<3, 1>(v, 1, 0) + face<3, 1>(v1, 1, 0));
    const double back = Z(0, 0, 0) * (face<3, 2>(w, 0, 0) + face<3, 2>(w1, 0, 0));
    const double front = Z(0, 0, 1) * (face<3, 2>(w, 1, 0) + face<3, 2>(w1, 1, 0));
    const double flow = eighth * (right - left + high - low + front - back), volume = V(0, 0, 0);
    energy1(0, 0, 0) =
        energy(0, 0, 0) - (p(0, 0, 0) + q(0, 0, 0)) * flow / (density(0, 0, 0) * volume);
    density1(0, 0, 0) = density(0, 0, 0) * volume / (volume + flow);
  };
}

/// The same with the old velocities only, for half the time step.
inline auto pdv_predict(double h) {
  return [whole = pdv(h)](const auto& u, const auto& v, const auto& w, const auto&... rest) {
    whole(u, v, w, u, v, w, rest...);
  };
}

/// Acceleration of nodes by the pressure and viscosity of the adjacent cells.
inline auto accelerate(double dt) {
  return [dt](const auto& density, const auto& V, const auto& p, const auto& q, const auto& X,
              const auto& Y, const auto& Z, const auto& u, const auto& v, const auto& w,
              const auto& u1, const auto& v1, const auto& w1) {
    double mass = 0;
    for (int z = -1; z <= 0; ++z)
      for (int y = -1; y <= 0; ++y)
        for (int x = -1; x <= 0; ++x) mass += density(x, y, z) * V(x, y, z);
    const double s = 2 * dt / mass;  // a quarter of dt, an eighth of the mass
    double x = 0, y = 0, z = 0;
    for (int b = -1; b <= 0; ++b)
      for (int a = -1; a <= 0; ++a) {
        x += X(0, a, b) * (p(0, a, b) + q(0, a, b) - p(-1, a, b) - q(-1, a, b));
        y += Y(a, 0, b) * (p(a, 0, b) + q(a, 0, b) - p(a, -1, b) - q(a, -1, b));
        z += Z(a, b, 0) * (p(a, b, 0) + q(a, b, 0) - p(a, b, -1) - q(a, b, -1));
      }
    u1(0, 0, 0) = u(0, 0, 0) - s * x;
    v1(0, 0, 0) = v(0, 0, 0) - s * y;
    w1(0, 0, 0) = w(0, 0, 0) - s * z;
  };
}

/// Volume flux through a face in a time step.
inline auto flux_x(double dt) {
  return [eighth = 0.125 * dt](const auto& X, const auto& u, const auto& u1, const auto& F) {
    F(0, 0, 0) = eighth * X(0, 0, 0) * (face<3, 0>(u, 0, 0) + face<3, 0>(u1, 0, 0));
  };
}
inline auto flux_y(double dt) {
  return [eighth = 0.125 * dt](const auto& Y, const auto& v, const auto& v1, const auto& G) {
    G(0, 0, 0) = eighth * Y(0, 0, 0) * (face<3, 1>(v, 0, 0) + face<3, 1>(v1, 0, 0));
  };
}
/// The original counts one node of w twice and omits another; its reference values depend on that.
inline auto flux_z(double dt) {
  return [eighth = 0.125 * dt](const auto& Z, const auto& w, const auto& w1, const auto& H) {
    const double old = w(0, 0, 0) + w(1, 0, 0) + w(1, 0, 0) + w(1, 1, 0);
    H(0, 0, 0) = eighth * Z(0, 0, 0) * (old + face<3, 2>(w1, 0, 0));
  };
}

}  // namespace clover::kernels3d
