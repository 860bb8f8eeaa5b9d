// Reading of initial data. Shape and type in the file are compared with the array before the array
// is changed.
#include "atoll/stencil/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "stencil/output/descriptor.hpp"
#include "stencil/output/field_arrays.hpp"
#include "stencil/output/hdf5.hpp"
#include "stencil/output/npy_header.hpp"

namespace Atoll::stencil {
namespace {

/// A dimension of an array: number of points, and bytes to the next point.
struct Dimension {
  std::uint64_t points;
  std::int64_t stride;
};

/// Returns the dimensions in the order [z][y][x], followed by [component] if there are several.
std::vector<Dimension> dimensions_of(const StridedArray& array) {
  std::vector<Dimension> all;
  for (auto d = static_cast<std::size_t>(array.dimensions); d-- > 0;)
    all.push_back({static_cast<std::uint64_t>(array.points[d]), array.strides[d]});
  if (array.components > 1)
    all.push_back({static_cast<std::uint64_t>(array.components), array.component_stride});
  return all;
}

/// Throws Error (input) unless the file's shape and type fit the array.
void check_fit(const std::string& where, const StridedArray& array,
               const std::vector<std::uint64_t>& shape, ElementType type) {
  std::vector<std::uint64_t> wanted;
  for (const Dimension& one : dimensions_of(array)) wanted.push_back(one.points);
  if (shape != wanted)
    throw Error::input(
        where, fmt::format("its shape is ({})", fmt::join(shape, ", ")),
        fmt::format(
            "'{}' has ({}) points in {}{}", array.name, fmt::join(wanted, ", "),
            std::string_view("z, y, x").substr(9 - 3 * static_cast<std::size_t>(array.dimensions)),
            array.components > 1 ? ", and components" : ""));
  if (type != array.type)
    throw Error::input(where, fmt::format("its values are {}", to_string(type)),
                       fmt::format("'{0}' is {1}; convert them, as astype('{1}') does", array.name,
                                   to_string(array.type)));
}

/// Reads the values run by run; a run is one line of the fastest dimension.
void read_values(std::istream& file, const NpyHeader& header, const StridedArray& to,
                 const std::string& where) {
  std::vector<Dimension> dimensions = dimensions_of(to);
  if (header.fortran_order) std::reverse(dimensions.begin(), dimensions.end());
  const Dimension fastest = dimensions.back();
  dimensions.pop_back();
  const std::size_t bytes = bytes_of(to.type);
  std::vector<std::byte> run(fastest.points * bytes);
  std::vector<std::uint64_t> at(dimensions.size(), 0);
  for (;;) {
    if (!file.read(reinterpret_cast<char*>(run.data()), static_cast<std::streamsize>(run.size())))
      throw Error::failed(where, "reading its values failed", "");
    std::byte* point = to.first;
    for (std::size_t d = 0; d < at.size(); ++d)
      point += static_cast<std::int64_t>(at[d]) * dimensions[d].stride;
    for (std::byte* value = run.data(); value != run.data() + run.size(); value += bytes) {
      if (header.swapped) std::reverse(value, value + bytes);
      std::memcpy(point, value, bytes);
      point += fastest.stride;
    }
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == dimensions[d - 1].points) at[--d] = 0;
    if (d == 0) return;
  }
}

/// Returns the type of a dataset's numbers, for either byte order. Throws Error (input) for other
/// types.
ElementType type_of(hid_t type, const std::string& where) {
  const H5T_class_t kind = H5Tget_class(type);
  for (const ElementType one :
       {ElementType::float32, ElementType::float64, ElementType::int8, ElementType::int16,
        ElementType::int32, ElementType::int64, ElementType::uint8, ElementType::uint16,
        ElementType::uint32, ElementType::uint64}) {
    const hid_t native = hdf5::native_type(one);
    if (kind == H5Tget_class(native) && H5Tget_size(type) == H5Tget_size(native) &&
        (kind != H5T_INTEGER || H5Tget_sign(type) == H5Tget_sign(native)))
      return one;
  }
  throw Error::input(where, "its values are no numbers of 1 to 8 bytes",
                     "store floating-point numbers or integers");
}

}  // namespace

StridedArray input_of(FieldStorage& field) {
  return array_of(field, field.interior(), detail::before_access(field, true));
}

void read_npy(const std::string& path, const StridedArray& to) {
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  std::ifstream file(path, std::ios::binary);
  if (!regular || !file)
    throw Error::input(path, "can't be opened, or isn't a regular file", "name a .npy file");
  const NpyHeader header = read_npy_header(file, path);
  check_fit(path, to, header.shape, header.type);
  const auto begins = static_cast<std::uint64_t>(file.tellg());
  const std::uint64_t has = std::filesystem::file_size(path, error) - begins;
  const std::uint64_t needs = static_cast<std::uint64_t>(to.size()) *
                              static_cast<std::uint64_t>(to.components) * bytes_of(to.type);
  if (error || has != needs)
    throw Error::input(path,
                       fmt::format("it has {} bytes of values, its header says {}", has, needs),
                       "it may be cut short; write it again");
  read_values(file, header, to, path);
}

void read_hdf5(const std::string& path, const std::string& dataset, const StridedArray& to) {
  const Descriptor opened(path, O_RDONLY | O_NONBLOCK);
  if (opened.get() < 0)
    throw Error::input(path, std::string("can't be opened: ") + std::strerror(errno),
                       "name an HDF5 file");
  const std::string where = path + ": " + dataset;
  hdf5::FileTarget medium{.descriptor = opened.get()};
  const hdf5::SilencedErrors quiet;
  hdf5::Handle file;
  try {
    file = hdf5::open_file(medium, path);
  } catch (const Error&) {
    throw Error::input(path, "isn't an HDF5 file", "h5dump shows whether it is one");
  }
  const hid_t id = H5Dopen2(file.id(), dataset.c_str(), H5P_DEFAULT);
  if (id < 0)
    throw Error::input(path, fmt::format("it has no dataset '{}'", dataset),
                       "h5dump -n lists those that it has");
  {
    const hdf5::Handle data(id, H5Dclose, where, "");
    const hdf5::Handle space(H5Dget_space(id), H5Sclose, where, "reading its shape");
    const hdf5::Handle type(H5Dget_type(id), H5Tclose, where, "reading its type");
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    const int rank = H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
    const std::vector<std::uint64_t> shape(extents.begin(), extents.begin() + std::max(rank, 0));
    check_fit(where, to, shape, type_of(type.id(), where));
  }
  StridedArray named = to;
  named.name = dataset;
  hdf5::read_array(file.id(), named, path);
}

}  // namespace Atoll::stencil
