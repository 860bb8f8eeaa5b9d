// Initial data of fields from files that other programs wrote: NumPy's .npy and HDF5.
#pragma once

#include <string>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Fills the array from a file that numpy.save() wrote. Its shape has to be [z][y][x], with as many
/// dimensions as the array, and with [component] behind them if there are several; its type that of
/// the array. The byte order and Fortran's order of dimensions are converted. Throws Error (input)
/// if the file can't be read, isn't such a file, is cut short, or has another shape or type;
/// nothing has been changed then, unless reading itself fails.
void read_npy(const std::string& path, const StridedArray& to);
/// Fills the array from a dataset of an HDF5 file, such as "run/density", which has to be as
/// read_npy() says. The file should be one that the user trusts: HDF5's library isn't made for
/// damaged files.
void read_hdf5(const std::string& path, const std::string& dataset, const StridedArray& to);

/// The values of a field without its halo, to be filled. Runs what is queued; valid until the next
/// loop is queued. All of the field counts as written.
[[nodiscard]] StridedArray input_of(FieldStorage& field);

/// Fills a field without its halo; the rest as above.
template <Element T, bool kColumn>
void read_npy(const std::string& path, const Field<T, kColumn>& to) {
  read_npy(path, input_of(to.storage()));
}
/// Fills a field without its halo; the rest as above.
template <Element T, bool kColumn>
void read_hdf5(const std::string& path, const std::string& dataset, const Field<T, kColumn>& to) {
  read_hdf5(path, dataset, input_of(to.storage()));
}

}  // namespace Atoll::stencil
