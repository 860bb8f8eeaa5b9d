// What a person writes instead of loops of the module: plain arrays, OpenMP on rows, vectors along
// them. Three loops of CloverLeaf 2D, and a step of the heat equation in 3D. Each array's pointer
// is that of its point (0, 0); strides are in elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace by_hand {

using Stride = std::ptrdiff_t;

inline void gas(int nx, int ny, Stride s, const double* density, const double* energy, double* p,
                double* sound) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < ny; ++y) {
#pragma omp simd
    for (int x = 0; x < nx; ++x) {
      const Stride i = y * s + x;
      const double v = 1.0 / density[i];
      const double pressure = 0.4 * density[i] * energy[i];
      p[i] = pressure;
      sound[i] = std::sqrt(v * v * (0.4 * density[i] * pressure + density[i] * pressure));
    }
  }
}

/// Strides of cells, nodes, faces in x and faces in y.
struct Strides {
  Stride cell, node, face_x, face_y;
};

inline void pdv(int nx, int ny, const Strides& strides, double dt, const double* u, const double* v,
                const double* u1, const double* v1, const double* area_x, const double* area_y,
                const double* volume, const double* p, const double* q, const double* density,
                const double* energy, double* density1, double* energy1) {
  const double quarter = 0.25 * dt;
  const auto [cell, node, face_x, face_y] = strides;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < ny; ++y) {
#pragma omp simd
    for (int x = 0; x < nx; ++x) {
      const Stride c = y * cell + x, n = y * node + x, up = n + node;
      const Stride fx = y * face_x + x, fy = y * face_y + x;
      const double left = area_x[fx] * (u[n] + u[up] + u1[n] + u1[up]);
      const double right = area_x[fx + 1] * (u[n + 1] + u[up + 1] + u1[n + 1] + u1[up + 1]);
      const double bottom = area_y[fy] * (v[n] + v[n + 1] + v1[n] + v1[n + 1]);
      const double top = area_y[fy + face_y] * (v[up] + v[up + 1] + v1[up] + v1[up + 1]);
      const double flow = quarter * (right - left + top - bottom);
      energy1[c] = energy[c] - (p[c] + q[c]) * flow / (density[c] * volume[c]);
      density1[c] = density[c] * volume[c] / (volume[c] + flow);
    }
  }
}

inline double limited(double a, double b, double s) {
  const double abs_a = std::abs(a), abs_b = std::abs(b);
  const double mixed = ((1 + s) * abs_a + (2 - s) * abs_b) * (1.0 / 6.0);
  const double least = std::min(std::min(abs_a, abs_b), mixed);
  return a * b > 0 ? std::copysign(least, b) : 0.0;
}

/// A sweep in x: what passes the faces 0 to nx, then the cells.
inline void advect_cells(int nx, int ny, const Strides& strides, const double* flux,
                         const double* before, double* mass_flux, double* energy_flux,
                         double* density, double* energy) {
  const auto [cell, node, face, unused] = strides;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < ny; ++y) {
#pragma omp simd
    for (int x = 0; x <= nx; ++x) {
      const Stride c = y * cell + x;
      const double f = flux[y * face + x];
      const bool forward = f > 0;
      const double volume_m = before[c - 1], volume_p = before[c];
      const double r0 = density[c - 2], r1 = density[c - 1], r2 = density[c], r3 = density[c + 1];
      const double e0 = energy[c - 2], e1 = energy[c - 1], e2 = energy[c], e3 = energy[c + 1];
      const double volume = forward ? volume_m : volume_p;
      const double r_up = forward ? r0 : r3, r = forward ? r1 : r2, r_down = forward ? r2 : r1;
      const double e_up = forward ? e0 : e3, e = forward ? e1 : e2, e_down = forward ? e2 : e1;
      const double s = std::abs(f) / volume;
      const double mass = f * (r + (1 - s) * limited(r - r_up, r_down - r, s));
      const double part = std::abs(mass) / (r * volume);
      mass_flux[y * face + x] = mass;
      energy_flux[y * node + x] = mass * (e + (1 - part) * limited(e - e_up, e_down - e, s));
    }
  }
#pragma omp parallel for schedule(static)
  for (int y = 0; y < ny; ++y) {
#pragma omp simd
    for (int x = 0; x < nx; ++x) {
      const Stride c = y * cell + x, f = y * face + x, n = y * node + x;
      const double old_mass = density[c] * before[c];
      const double mass = old_mass - (mass_flux[f + 1] - mass_flux[f]);
      energy[c] = (energy[c] * old_mass - (energy_flux[n + 1] - energy_flux[n])) / mass;
      density[c] = mass / (before[c] - (flux[f + 1] - flux[f]));
    }
  }
}

/// out = u + a * (the sum of the six neighbours - 6 u) in n points a side.
inline void heat(int n, Stride sy, Stride sz, double a, const double* u, double* out) {
#pragma omp parallel for schedule(static)
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y) {
#pragma omp simd
      for (int x = 0; x < n; ++x) {
        const Stride i = z * sz + y * sy + x;
        out[i] = u[i] + a * (u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] + u[i - sz] + u[i + sz] -
                             6 * u[i]);
      }
    }
}

}  // namespace by_hand
