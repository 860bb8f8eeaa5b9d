// Initial data of fields from files of other programs: NumPy's .npy and HDF5.
#pragma once

#include <string>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Fills the array from a file that numpy.save() wrote. The shape in the file must be [z][y][x]
/// with as many dimensions as the array, plus [component] as the last one if there are several
/// components; the element type must be that of the array. Byte order and Fortran order are
/// converted. Throws Error (input) if the file can't be read, isn't a .npy file, is truncated, or
/// has another shape or type. The array is unchanged then, unless reading of the values fails.
void read_npy(const std::string& path, const StridedArray& to);
/// Fills the array from a dataset of an HDF5 file, such as "run/density", with the same
/// requirements as read_npy(). Use trusted files only: the HDF5 library isn't robust against
/// damaged files.
void read_hdf5(const std::string& path, const std::string& dataset, const StridedArray& to);

/// Returns a view of a field's values without its halo, to be filled. Runs the queued loops first;
/// valid until the next loop is queued. Marks all points as written.
[[nodiscard]] StridedArray input_of(FieldStorage& field);

/// Fills a field without its halo; otherwise like the overload above.
template <Element T, bool kColumn>
void read_npy(const std::string& path, const Field<T, kColumn>& to) {
  read_npy(path, input_of(to.storage()));
}
/// Fills a field without its halo; otherwise like the overload above.
template <Element T, bool kColumn>
void read_hdf5(const std::string& path, const std::string& dataset, const Field<T, kColumn>& to) {
  read_hdf5(path, dataset, input_of(to.storage()));
}

}  // namespace Atoll::stencil
