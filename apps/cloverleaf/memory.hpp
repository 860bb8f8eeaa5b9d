// Whether a deck's mesh fits into memory, asked before anything is allocated.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fields.hpp"

namespace clover {

/// An upper bound of the bytes of all fields, with what fills up lines and pages; as a double,
/// since 2^120 cells can be asked for.
template <int D>
double bytes_of(const std::array<double, 3>& cells) {
  constexpr double kLine = 8, kLarge = 16 << 20;
  double points = 1;
  for (std::size_t axis = 0; axis < D; ++axis)
    points *= cells[axis] + 2 * kHalo + 1 + (axis == 0 ? 2 * kLine : 0);
  const double field = points * sizeof(double);
  // Large fields are in huge pages, of which the first and the last may be partly used.
  return kValuesOfACell<D> * (field + (field >= kLarge ? 4 << 20 : 64 << 10));
}

/// The share of the available memory that a mesh of the proposed size takes: what is available
/// changes from one run to the next.
inline constexpr double kProposedShare = 0.9;

/// Throws Error (input) if the mesh doesn't fit, and proposes one of its shape that does.
template <int D>
void check_memory(const Deck& deck, const std::string& where, double available) {
  std::array<double, 3> cells{1, 1, 1};
  for (std::size_t axis = 0; axis < D; ++axis) cells[axis] = static_cast<double>(deck.cells[axis]);
  constexpr double most = std::numeric_limits<int>::max() - 4.0 * kHalo;
  const auto fits = [&](const std::array<double, 3>& size, double bytes) {
    return bytes_of<D>(size) <= bytes && *std::max_element(size.begin(), size.end()) <= most;
  };
  if (fits(cells, available)) return;
  const auto scaled = [&](double by) {
    std::array<double, 3> size{1, 1, 1};
    for (std::size_t axis = 0; axis < D; ++axis)
      size[axis] = std::max(1.0, std::floor(cells[axis] * by));
    return size;
  };
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (fits(scaled(middle), kProposedShare * available) ? low : high) = middle;
  }
  const std::array<double, 3> largest = scaled(low);
  std::string asked, can;
  for (std::size_t axis = 0; axis < D; ++axis) {
    asked += fmt::format("{}{:.0f}", axis == 0 ? "" : " x ", cells[axis]);
    can += fmt::format("{}{:.0f}", axis == 0 ? "" : " x ", largest[axis]);
  }
  throw Atoll::Error::input(where,
                            fmt::format("{} cells need {:.3g} GiB of memory, and there are {:.3g}",
                                        asked, bytes_of<D>(cells) / 0x1p30, available / 0x1p30),
                            "take at most " + can);
}

}  // namespace clover
