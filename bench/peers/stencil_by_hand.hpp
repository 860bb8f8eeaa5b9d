// Handwritten equivalents of the module's loops: plain arrays, OpenMP over rows, vectorized along
// them. Three loops of CloverLeaf 2D, and a step of the heat equation in 3D. Array pointers point
// to (0, 0); strides are in elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace by_hand {

using Stride = std::ptrdiff_t;
using In = const double* __restrict;
using Out = double* __restrict;

inline void gas(Stride nx, Stride ny, Stride s, const double* density, const double* energy,
                double* pressure, double* sound) {
#pragma omp parallel for schedule(static)
  for (Stride y = 0; y < ny; ++y) {
    In r = density + y * s, e = energy + y * s;
    Out p = pressure + y * s, c = sound + y * s;
#pragma omp simd
    for (Stride x = 0; x < nx; ++x) {
      const double v = 1.0 / r[x];
      p[x] = 0.4 * r[x] * e[x];
      c[x] = std::sqrt(v * v * (0.4 * r[x] * p[x] + r[x] * p[x]));
    }
  }
}

/// Strides of cells, nodes, x faces and y faces.
struct Strides {
  Stride cell, node, face_x, face_y;
};

inline void pdv(Stride nx, Stride ny, Strides strides, double dt, const double* u, const double* v,
                const double* u1, const double* v1, const double* area_x, const double* area_y,
                const double* volume, const double* pressure, const double* viscosity,
                const double* density, const double* energy, double* density1, double* energy1) {
  const double quarter = 0.25 * dt;
#pragma omp parallel for schedule(static)
  for (Stride y = 0; y < ny; ++y) {
    const Stride cell = y * strides.cell, node = y * strides.node, above = node + strides.node;
    In u_low = u + node, u_up = u + above, u1_low = u1 + node, u1_up = u1 + above;
    In v_low = v + node, v_up = v + above, v1_low = v1 + node, v1_up = v1 + above;
    In ax = area_x + y * strides.face_x;
    In ay_low = area_y + y * strides.face_y, ay_up = ay_low + strides.face_y;
    In vol = volume + cell, p = pressure + cell, q = viscosity + cell;
    In r = density + cell, e = energy + cell;
    Out r_new = density1 + cell, e_new = energy1 + cell;
#pragma omp simd
    for (Stride x = 0; x < nx; ++x) {
      const double left = ax[x] * (u_low[x] + u_up[x] + u1_low[x] + u1_up[x]);
      const double right = ax[x + 1] * (u_low[x + 1] + u_up[x + 1] + u1_low[x + 1] + u1_up[x + 1]);
      const double bottom = ay_low[x] * (v_low[x] + v_low[x + 1] + v1_low[x] + v1_low[x + 1]);
      const double top = ay_up[x] * (v_up[x] + v_up[x + 1] + v1_up[x] + v1_up[x + 1]);
      const double flow = quarter * (right - left + top - bottom);
      e_new[x] = e[x] - (p[x] + q[x]) * flow / (r[x] * vol[x]);
      r_new[x] = r[x] * vol[x] / (vol[x] + flow);
    }
  }
}

inline double limited(double a, double b, double s) {
  const double abs_a = std::abs(a), abs_b = std::abs(b);
  const double mixed = ((1 + s) * abs_a + (2 - s) * abs_b) * (1.0 / 6.0);
  const double least = std::min(std::min(abs_a, abs_b), mixed);
  return a * b > 0 ? std::copysign(least, b) : 0.0;
}

/// A sweep in x: fluxes through faces 0 to nx, then the update of cells.
inline void advect_cells(Stride nx, Stride ny, Strides strides, const double* flux,
                         const double* before, double* mass_flux, double* energy_flux,
                         double* density, double* energy) {
#pragma omp parallel for schedule(static)
  for (Stride y = 0; y < ny; ++y) {
    In r = density + y * strides.cell, e = energy + y * strides.cell;
    In volume = before + y * strides.cell, f = flux + y * strides.face_x;
    Out mass_out = mass_flux + y * strides.face_x, energy_out = energy_flux + y * strides.node;
#pragma omp simd
    for (Stride x = 0; x <= nx; ++x) {
      const bool forward = f[x] > 0;
      const double volume_m = volume[x - 1], volume_p = volume[x];
      const double r0 = r[x - 2], r1 = r[x - 1], r2 = r[x], r3 = r[x + 1];
      const double e0 = e[x - 2], e1 = e[x - 1], e2 = e[x], e3 = e[x + 1];
      const double vol = forward ? volume_m : volume_p;
      const double r_up = forward ? r0 : r3, r_d = forward ? r1 : r2, r_down = forward ? r2 : r1;
      const double e_up = forward ? e0 : e3, e_d = forward ? e1 : e2, e_down = forward ? e2 : e1;
      const double s = std::abs(f[x]) / vol;
      const double mass = f[x] * (r_d + (1 - s) * limited(r_d - r_up, r_down - r_d, s));
      const double part = std::abs(mass) / (r_d * vol);
      mass_out[x] = mass;
      energy_out[x] = mass * (e_d + (1 - part) * limited(e_d - e_up, e_down - e_d, s));
    }
  }
#pragma omp parallel for schedule(static)
  for (Stride y = 0; y < ny; ++y) {
    Out r = density + y * strides.cell, e = energy + y * strides.cell;
    In volume = before + y * strides.cell, f = flux + y * strides.face_x;
    In mass_in = mass_flux + y * strides.face_x, energy_in = energy_flux + y * strides.node;
#pragma omp simd
    for (Stride x = 0; x < nx; ++x) {
      const double old_mass = r[x] * volume[x];
      const double mass = old_mass - (mass_in[x + 1] - mass_in[x]);
      e[x] = (e[x] * old_mass - (energy_in[x + 1] - energy_in[x])) / mass;
      r[x] = mass / (volume[x] - (f[x + 1] - f[x]));
    }
  }
}

/// out = u + a * (the sum of the six neighbours - 6 u) for n points per dimension.
inline void heat(Stride n, Stride sy, Stride sz, double a, const double* from, double* to) {
#pragma omp parallel for schedule(static)
  for (Stride z = 0; z < n; ++z)
    for (Stride y = 0; y < n; ++y) {
      In u = from + z * sz + y * sy;
      In down = u - sy, up = u + sy, back = u - sz, front = u + sz;
      Out out = to + z * sz + y * sy;
#pragma omp simd
      for (Stride x = 0; x < n; ++x)
        out[x] = u[x] + a * (u[x - 1] + u[x + 1] + down[x] + up[x] + back[x] + front[x] - 6 * u[x]);
    }
}

}  // namespace by_hand
