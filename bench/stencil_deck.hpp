// CloverLeaf's deck for the suite `stencil`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../apps/cloverleaf/deck.hpp"

namespace Atoll::bench {

/// Returns CloverLeaf's deck with n cells along each axis, with the sizes and states of its test
/// problems.
template <int D>
clover::Deck clover_deck(int n) {
  clover::Deck deck;
  deck.dimensions = D;
  deck.high = {10, 10, 10};
  deck.cells = {1, 1, 1};
  for (std::size_t axis = 0; axis < D; ++axis) deck.cells[axis] = static_cast<std::uint64_t>(n);
  deck.initial_timestep = deck.max_timestep = D == 2 ? 0.04 : 0.1;
  deck.timestep_rise = D == 2 ? 1.5 : 1.05;
  clover::State everywhere, box;
  everywhere.density = 0.2, everywhere.energy = 1;
  box.density = 1, box.energy = 2.5, box.geometry = clover::Geometry::box, box.high = {5, 2, 4};
  deck.states = {everywhere, box};
  return deck;
}

}  // namespace Atoll::bench
