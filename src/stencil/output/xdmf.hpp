// One step of a series in XDMF, the XML that describes HDF5 files to ParaView.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "atoll/stencil/snapshots.hpp"

namespace Atoll::stencil::xdmf {

/// Returns the location of a field's values: 0 means cells; otherwise one bit for each staggered
/// dimension.
[[nodiscard]] unsigned place_of(const ConstStridedArray& array);

/// Returns for example "cells", "nodes", "x faces" or "z edges".
[[nodiscard]] std::string place_name(unsigned place, int dimensions);

/// True if the files contain coordinates: if the mesh defines them, or has less than 3 dimensions.
[[nodiscard]] bool has_coordinates(const MeshGeometry& geometry);

/// Name of the dataset with the coordinates of a grid's points in one dimension.
[[nodiscard]] std::string coordinates_name(bool staggered, std::size_t dimension);

/// Returns those coordinates: of the nodes if staggered, else of the cell centres.
[[nodiscard]] std::vector<double> coordinates(const MeshGeometry& geometry, bool staggered,
                                              std::size_t dimension);

/// Returns the <Grid> of a step whose data are in `file`; each line begins with at least four
/// spaces.
[[nodiscard]] std::string step_grid(const MeshGeometry& geometry, std::int64_t step, double time,
                                    const std::string& file,
                                    std::span<const ConstStridedArray> fields);

/// Text before and after the steps' grids.
[[nodiscard]] std::string head();
[[nodiscard]] std::string tail();

/// Escapes text for XML attributes and content.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace Atoll::stencil::xdmf
