// Whether a deck's mesh fits into memory, asked before anything is allocated.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../memory.hpp"
#include "fields.hpp"

namespace clover {

/// An upper bound of the bytes of all fields; as a double, since 2^120 cells can be asked for.
template <int D>
double bytes_of(std::array<double, 3> cells) {
  for (double& points : cells) points += 2 * kHalo + 1;
  return kValuesOfACell<D> * app::field_bytes(cells, D);
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
  // A mesh that fits has too many cells in one dimension: no memory is enough for it.
  app::check_memory(where, asked + " cells", bytes_of<D>(cells), "take at most " + can,
                    std::min(available, std::nextafter(bytes_of<D>(cells), 0)));
}

}  // namespace clover
