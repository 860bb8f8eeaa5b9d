// Initialization of the mesh from a deck's states.
#pragma once

#include <cstdint>

#include "fields.hpp"

namespace clover {

/// True if the cell with these indices is in the region of the state.
template <int D>
bool takes(const Deck& deck, const State& state, const std::array<int, 3>& cell) {
  double distance = 0;
  for (int axis = 0; axis < D; ++axis) {
    const double size = deck.cell_size(axis);
    const double begin = deck.low[axis] + size * cell[axis];
    const double low = state.low[axis] + size / 100, high = state.high[axis] - size / 100;
    switch (state.geometry) {
      case Geometry::everywhere:
        break;
      case Geometry::box:
        if (!(begin + size >= low && begin < high)) return false;
        break;
      case Geometry::ball:
        distance += (begin + size / 2 - low) * (begin + size / 2 - low);
        break;
      case Geometry::point:
        if (begin != low) return false;
        break;
    }
  }
  return state.geometry != Geometry::ball || std::sqrt(distance) <= state.radius;
}

/// Queues the volumes and areas of the mesh, then the states; later states override earlier ones.
/// `deck` must stay valid until the loops have run.
template <int D>
void start(Fields<D>& fields, const Deck& deck) {
  const auto fill = [&](const st::Field<double>& field, double number) {
    fields.mesh.loop(
        "geometry", field.storage().whole(), [number](auto f) { f(0, 0, 0) = number; },
        st::write(field));
  };
  double volume = 1;
  for (int axis = 0; axis < D; ++axis) volume *= deck.cell_size(axis);
  fill(fields.volume, volume);
  for (std::size_t axis = 0; axis < D; ++axis)
    fill(fields.area[axis], volume / deck.cell_size(static_cast<int>(axis)));
  if constexpr (D == 3) fill(fields.mass_flux[0], 0);  // mirror_mass_flux() leaves a part unset

  const Deck* const all = &deck;
  fields.mesh.loop(
      "start cells", fields.density0.storage().whole(),
      [all](auto density, auto energy, st::Index at) {
        double r = 0, e = 0;
        for (const State& state : all->states)
          if (takes<D>(*all, state, {at.x, at.y, at.z})) r = state.density, e = state.energy;
        density(0, 0, 0) = r;
        energy(0, 0, 0) = e;
      },
      st::write(fields.density0), st::write(fields.energy0), st::index());
  // A node has the velocity of the last state that applies to one of its adjacent cells.
  for (std::size_t axis = 0; axis < D; ++axis)
    fields.mesh.loop(
        "start nodes", fields.velocity0[axis].storage().whole(),
        [all, axis](auto velocity, st::Index at) {
          double v = 0;
          for (const State& state : all->states) {
            bool taken = false;
            for (int z = D == 3 ? -1 : 0; z <= 0; ++z)
              for (int y = -1; y <= 0; ++y)
                for (int x = -1; x <= 0; ++x)
                  taken |= takes<D>(*all, state, {at.x + x, at.y + y, at.z + z});
            if (taken) v = state.velocity[axis];
          }
          velocity(0, 0, 0) = v;
        },
        st::write(fields.velocity0[axis]), st::index());
}

}  // namespace clover
