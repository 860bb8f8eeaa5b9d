// CloverLeaf's fields: values of cells, of nodes (where cells' corners meet) and of the faces
// between cells; index 0 is what a step begins with, index 1 what it makes.
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

/// How many values a cell has, over all fields: 12 of one value, and six vectors.
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
  /// Of a sweep: cells' volumes, what passes faces or nodes (energy, then mass), nodes' masses.
  Field work_volume, work_flux, work_before, work_after;
  Vector velocity0, velocity1, area, volume_flux, mass_flux;
  Vector momentum;  ///< of a sweep: what passes from node to node

  /// All nodes that a step computes; cells are mesh.interior().
  [[nodiscard]] st::Range all_nodes() const { return velocity0[0].storage().interior(); }
  /// Faces along an axis: one more than cells.
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
