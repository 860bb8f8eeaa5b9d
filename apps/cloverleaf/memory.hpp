// Checks that a deck's mesh fits into memory, before any allocation.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../field_memory.hpp"
#include "fields.hpp"

namespace clover {

/// Upper bound of the bytes of all fields. A double, because a deck can request 2^120 cells.
template <int D>
double bytes_of(std::array<double, 3> cells) {
  for (double& points : cells) points += 2 * kHalo + 1;
  return kValuesOfACell<D> * app::field_bytes(cells, D);
}

/// Fraction of the available memory that a proposed mesh uses, because the available memory varies
/// between runs.
inline constexpr double kProposedShare = 0.9;

/// Throws Error (input) if the mesh doesn't fit, and proposes a mesh of the same shape that does.
template <int D>
void check_memory(const Deck& deck, const std::string& where, double available,
                  const Atoll::stencil::Options& options = {}) {
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
  // If the memory suffices, the mesh has too many cells in one dimension, which no amount of memory
  // allows.
  app::check_memory(where, asked + " cells", bytes_of<D>(cells),
                    app::way_out(options, "take at most " + can),
                    std::min(available, std::nextafter(bytes_of<D>(cells), 0)));
}

}  // namespace clover
