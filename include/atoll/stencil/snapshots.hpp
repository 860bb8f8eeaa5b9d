// Periodic snapshots of fields for ParaView: an HDF5 file for each step, and one XDMF file that
// describes them and grows with the series. Each file is replaced atomically, so the series can be
// viewed while the program runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Geometry of a mesh: cells of equal size from an origin, or the coordinates of its nodes if cells
/// differ in size.
struct MeshGeometry {
  int dimensions = 2;                          ///< 1 to 3
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< in x, y and z; 1 beyond `dimensions`
  std::array<double, 3> origin{0, 0, 0};       ///< coordinates of the first node
  std::array<double, 3> spacing{1, 1, 1};      ///< size of a cell
  /// For each dimension either empty or cells + 1 ascending coordinates, which then replace origin
  /// and spacing.
  std::array<std::vector<double>, 3> nodes{};
};

/// A time series of a mesh's fields: FOLDER/NAME.xmf and FOLDER/NAME_000123.h5 for step 123.
///
/// Fields that aren't staggered are cell values; fields that are staggered in all dimensions are
/// node values. Fields that are staggered in some dimensions are values of faces or edges. XDMF has
/// no such values for these meshes, so they become the points of a separate grid in the same step.
/// A field must have as many points as the mesh has cells, plus one in each staggered dimension.
/// Fields of three components are vectors; other fields are one scalar for each component.
class Snapshots {
 public:
  /// Begins a new series without writing. `path` is FOLDER/NAME; the folder must exist. Throws
  /// Error (input) for an invalid geometry.
  Snapshots(std::string path, MeshGeometry geometry);

  /// Continues the series in the file NAME.xmf, if it exists: keeps its steps up to and including
  /// `step`, and drops later ones. Throws Error (input) if the file isn't a series that Snapshots
  /// wrote.
  void continue_from(std::int64_t step);

  /// Writes a step. Throws Error: input if a field doesn't fit the mesh, a name is used twice or
  /// the folder isn't writable; failed if writing fails.
  void write(std::int64_t step, double time, std::span<const ConstStridedArray> fields);

  /// Name of the series' XDMF file.
  [[nodiscard]] std::string index() const { return path_ + ".xmf"; }
  /// Name of a step's HDF5 file.
  [[nodiscard]] std::string step_file(std::int64_t step) const;

 private:
  struct Step {
    std::int64_t step;
    std::string xml;  ///< its part of the XDMF file
  };

  void write_data(const std::string& path, std::int64_t step, double time,
                  std::span<const ConstStridedArray> fields) const;
  void write_index() const;

  std::string path_;
  MeshGeometry geometry_;
  std::vector<Step> steps_;
};

}  // namespace Atoll::stencil
