// Fields every n steps, for ParaView: an HDF5 file for each step, and one XDMF file that tells what
// is in them and grows with the time series. Each file is there whole or not at all, so that the
// series can be looked at while the program runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Where a mesh lies: cells of one size, from an origin on. A mesh whose cells differ gives the
/// coordinates of its nodes.
struct MeshGeometry {
  int dimensions = 2;                          ///< 1 to 3
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< in x, y and z; 1 beyond `dimensions`
  std::array<double, 3> origin{0, 0, 0};       ///< of the first node
  std::array<double, 3> spacing{1, 1, 1};      ///< the size of a cell
  /// In each dimension nothing, or cells + 1 coordinates, ascending, which count instead of origin
  /// and spacing.
  std::array<std::vector<double>, 3> nodes{};
};

/// A time series of a mesh's fields: FOLDER/NAME.xmf and FOLDER/NAME_000123.h5 for step 123.
///
/// Fields that aren't staggered are values of cells, those that are staggered in all dimensions
/// values of nodes. Those that are staggered in some are values of faces or edges, and become
/// points of a grid of their own in the same step, because XDMF has no such values for meshes like
/// these. A field has to have as many points as the mesh has cells, and one more where it is
/// staggered. Fields of three components are vectors, of others one scalar for each component.
class Snapshots {
 public:
  /// Begins a new series; the folder must be there. `path` is FOLDER/NAME. Nothing is written yet.
  /// Throws Error (input) for a geometry that is none.
  Snapshots(std::string path, MeshGeometry geometry);

  /// Goes on with the series in the file NAME.xmf, if there is one: its steps up to and including
  /// `step` stay, later ones are forgotten. Throws Error (input) if the file isn't a series that
  /// Snapshots wrote.
  void continue_from(std::int64_t step);

  /// Writes a step. Throws Error: input if a field doesn't fit the mesh, a name is used twice or
  /// the folder can't be written to, failed if writing fails.
  void write(std::int64_t step, double time, std::span<const ConstStridedArray> fields);

  /// The name of the series' XDMF file.
  [[nodiscard]] std::string index() const { return path_ + ".xmf"; }
  /// The name of a step's HDF5 file.
  [[nodiscard]] std::string step_file(std::int64_t step) const;

 private:
  struct Step {
    std::int64_t step;
    std::string xml;  ///< its part of the index
  };

  void write_data(const std::string& path, std::int64_t step, double time,
                  std::span<const ConstStridedArray> fields) const;
  void write_index() const;

  std::string path_;
  MeshGeometry geometry_;
  std::vector<Step> steps_;
};

}  // namespace Atoll::stencil
