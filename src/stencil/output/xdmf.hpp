// XDMF, the XML that tells ParaView what lies where in HDF5 files: one step of a series.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "atoll/stencil/snapshots.hpp"

namespace Atoll::stencil::xdmf {

/// Where the values of a field are: 0 cells; else one bit for each dimension in which it is
/// staggered.
[[nodiscard]] unsigned place_of(const ConstStridedArray& array);

/// "cells", "nodes", "x faces", "z edges" …
[[nodiscard]] std::string place_name(unsigned place, int dimensions);

/// True if the files have coordinates: where the mesh gives such, and for less than 3 dimensions.
[[nodiscard]] bool has_coordinates(const MeshGeometry& geometry);

/// The name of the dataset with the coordinates of a grid's points in one dimension.
[[nodiscard]] std::string coordinates_name(bool staggered, std::size_t dimension);

/// Those coordinates: of the nodes, or if not staggered of the cells' middles.
[[nodiscard]] std::vector<double> coordinates(const MeshGeometry& geometry, bool staggered,
                                              std::size_t dimension);

/// The <Grid> of a step whose data are in `file`, in lines that each begin with four spaces at
/// least.
[[nodiscard]] std::string step_grid(const MeshGeometry& geometry, std::int64_t step, double time,
                                    const std::string& file,
                                    std::span<const ConstStridedArray> fields);

/// What stands before and behind the steps' grids.
[[nodiscard]] std::string head();
[[nodiscard]] std::string tail();

/// Text as XML has it in attributes and content.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace Atoll::stencil::xdmf
