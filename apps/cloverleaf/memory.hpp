// Whether a deck's mesh fits into memory, asked before anything is allocated.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fields.hpp"

namespace clover {

/// The bytes of all fields; as a double, since 2^120 cells can be asked for.
template <int D>
double bytes_of(const std::array<double, 3>& cells) {
  double points = 1;
  for (std::size_t axis = 0; axis < D; ++axis) points *= cells[axis] + 2 * kHalo + 1;
  return points * sizeof(double) * kValuesOfACell<D>;
}

/// Throws Error (input) if the mesh doesn't fit, with the largest one of its shape that does.
template <int D>
void check_memory(const Deck& deck, const std::string& where, double available) {
  std::array<double, 3> cells{1, 1, 1};
  for (std::size_t axis = 0; axis < D; ++axis) cells[axis] = static_cast<double>(deck.cells[axis]);
  constexpr double most = std::numeric_limits<int>::max() - 4.0 * kHalo;
  const auto fits = [&](const std::array<double, 3>& size) {
    return bytes_of<D>(size) <= available && *std::max_element(size.begin(), size.end()) <= most;
  };
  if (fits(cells)) return;
  const auto scaled = [&](double by) {
    std::array<double, 3> size{1, 1, 1};
    for (std::size_t axis = 0; axis < D; ++axis)
      size[axis] = std::max(1.0, std::floor(cells[axis] * by));
    return size;
  };
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (fits(scaled(middle)) ? low : high) = middle;
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
