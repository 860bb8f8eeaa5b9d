// CloverLeaf's fields: values in cells, on nodes (corners of cells) and on faces between cells.
// Index 0 is the state before a step, index 1 the state after it.
#pragma once

#include <array>
#include <cmath>
#include <string>

#include <atoll/stencil/stencil.hpp>

#include "deck.hpp"

namespace clover {

namespace st = Atoll::stencil;

inline constexpr int kHalo = 2;
inline constexpr std::string_view kAxisNames = "xyz";

/// Number of values per cell in all fields together: 12 scalars and six vectors.
template <int D>
inline constexpr int kValuesOfACell = 12 + 6 * D;

template <int D>
struct Fields {
  using Field = st::Field<double>;
  using Vector = std::array<Field, D>;

  Fields(st::Program& program, const Deck& deck)
      : mesh(program.mesh("mesh", sizes(deck))),
        density0(cells("density0")),
        density1(cells("density1")),
        energy0(cells("energy0")),
        energy1(cells("energy1")),
        pressure(cells("pressure")),
        viscosity(cells("viscosity")),
        sound(cells("sound speed")),
        volume(cells("volume")),
        work_volume(cells("work: volume", true)),
        work_flux(nodes("work: flux", true)),
        work_before(nodes("work: mass before", true)),
        work_after(nodes("work: mass after", true)) {
    for (std::size_t axis = 0; axis < D; ++axis) {
      const std::string name(1, kAxisNames[axis]);
      velocity0[axis] = nodes(name + " velocity0");
      velocity1[axis] = nodes(name + " velocity1");
      area[axis] = faces(name + " area", axis);
      volume_flux[axis] = faces(name + " volume flux", axis);
      mass_flux[axis] = faces(name + " mass flux", axis);
      momentum[axis] = nodes("work: " + name + " momentum", true);
    }
  }

  st::Mesh& mesh;
  Field density0, density1, energy0, energy1, pressure, viscosity, sound, volume;
  /// Work fields of a sweep: volumes of cells, flux through faces or between nodes (energy, then
  /// mass), masses of nodes.
  Field work_volume, work_flux, work_before, work_after;
  Vector velocity0, velocity1, area, volume_flux, mass_flux;
  Vector momentum;  ///< work field of a sweep: momentum flux between nodes

  /// Returns all nodes that a step computes. The cells are mesh.interior().
  [[nodiscard]] st::Range all_nodes() const { return velocity0[0].storage().interior(); }
  /// Returns the faces normal to an axis: one more than cells.
  [[nodiscard]] st::Range all_faces(std::size_t axis) const {
    return area[axis].storage().interior();
  }

 private:
  static std::array<int, D> sizes(const Deck& deck) {
    std::array<int, D> sizes{};
    for (std::size_t axis = 0; axis < D; ++axis) sizes[axis] = static_cast<int>(deck.cells[axis]);
    return sizes;
  }
  Field cells(const std::string& name, bool temporary = false) {
    return mesh.template field<double>(name, {.halo = kHalo, .temporary = temporary});
  }
  Field nodes(const std::string& name, bool temporary = false) {
    return mesh.template field<double>(
        name, {.halo = kHalo, .staggered = {true, true, D == 3}, .temporary = temporary});
  }
  Field faces(const std::string& name, std::size_t axis) {
    st::FieldOptions options{.halo = kHalo};
    options.staggered[axis] = true;
    return mesh.template field<double>(name, options);
  }
};

}  // namespace clover
