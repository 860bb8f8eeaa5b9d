// Arrays as HDF5 datasets. Strided memory is packed in slabs.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "atoll/base/error.hpp"
#include "stencil/output/hdf5.hpp"

namespace Atoll::stencil::hdf5 {
namespace {

/// Bytes packed at once: large enough for efficient writes, small relative to fields.
constexpr std::int64_t kSlabBytes = std::int64_t{4} << 20;

/// Some rows of an array: planes [z, z + planes), and rows [y, y + rows) of each.
struct Slab {
  std::int64_t z, planes, y, rows;
};

std::vector<hsize_t> extents(const ConstStridedArray& array) {
  std::vector<hsize_t> all;
  for (int d = array.dimensions; d-- > 0;) all.push_back(static_cast<hsize_t>(array.points[d]));
  if (array.components > 1) all.push_back(static_cast<hsize_t>(array.components));
  return all;
}

std::string shape_text(const std::vector<hsize_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::int64_t row_bytes(const ConstStridedArray& array) {
  return array.points[0] * array.components * static_cast<std::int64_t>(bytes_of(array.type));
}

/// Calls f for slabs that cover the array, in order.
template <typename F>
void for_each_slab(const ConstStridedArray& array, F&& f) {
  if (array.size() == 0) return;
  const std::int64_t fit = std::max<std::int64_t>(1, kSlabBytes / row_bytes(array));
  const std::int64_t planes = std::max<std::int64_t>(1, fit / array.points[1]);
  const std::int64_t rows = std::min(fit, array.points[1]);
  for (std::int64_t z = 0; z < array.points[2]; z += planes)
    for (std::int64_t y = 0; y < array.points[1]; y += rows) {
      const Slab slab{z, std::min(planes, array.points[2] - z), y,
                      std::min(rows, array.points[1] - y)};
      f(slab);
      if (!array.finished) continue;
      if (array.dimensions == 3)
        array.finished(slab.z + (slab.y + slab.rows == array.points[1] ? slab.planes : 0));
      else if (array.dimensions == 2)
        array.finished(slab.y + slab.rows);
    }
}

/// Calls copy(packed, in the array, bytes) for each contiguous run of the slab.
template <typename Byte, typename F>
void for_each_run(const StridedArrayOf<Byte>& array, const Slab& slab, F&& copy) {
  const auto bytes = static_cast<std::int64_t>(bytes_of(array.type));
  const std::int64_t row = row_bytes(array);
  const bool points_dense = array.components == 1 || array.component_stride == bytes;
  const bool row_dense = points_dense && array.strides[0] == bytes * array.components;
  std::int64_t packed = 0;
  for (std::int64_t z = slab.z; z < slab.z + slab.planes; ++z)
    for (std::int64_t y = slab.y; y < slab.y + slab.rows; ++y) {
      if (row_dense) {
        copy(packed, array.at(0, y, z), row);
        packed += row;
        continue;
      }
      for (std::int64_t x = 0; x < array.points[0]; ++x)
        for (std::int64_t c = 0; c < array.components; ++c, packed += bytes)
          copy(packed, array.at(x, y, z) + c * array.component_stride, bytes);
    }
}

/// Selects the slab in the dataset's space, and returns the space of its packed bytes.
Handle select(hid_t space, const ConstStridedArray& array, const Slab& slab,
              const std::string& where) {
  std::vector<hsize_t> start, count;
  if (array.dimensions == 3) {
    start.push_back(static_cast<hsize_t>(slab.z));
    count.push_back(static_cast<hsize_t>(slab.planes));
  }
  if (array.dimensions >= 2) {
    start.push_back(static_cast<hsize_t>(slab.y));
    count.push_back(static_cast<hsize_t>(slab.rows));
  }
  start.push_back(0);
  count.push_back(static_cast<hsize_t>(array.points[0]));
  if (array.components > 1) {
    start.push_back(0);
    count.push_back(static_cast<hsize_t>(array.components));
  }
  require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          where, "preparing HDF5");
  return {H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose, where,
          "preparing HDF5"};
}

std::string what(const ConstStridedArray& array) {
  return "field '" + array.name + "'";
}

Handle open_dataset(hid_t group, const ConstStridedArray& array, const std::string& where) {
  const hid_t id = H5Dopen2(group, array.name.c_str(), H5P_DEFAULT);
  if (id < 0)
    throw Error::input(where, "it has no " + what(array), "use a file of this program and version");
  return {id, H5Dclose, where, ""};
}

}  // namespace

void write_array(hid_t group, const ConstStridedArray& array, const std::string& where) {
  const std::string tried = "writing " + what(array);
  const std::vector<hsize_t> shape = extents(array);
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose, where, tried);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, where, tried);
  // No timestamps, so that equal content gives equal bytes. No fill values, because all of it is
  // written.
  require(H5Pset_obj_track_times(creation.id(), false), where, tried);
  require(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), where, tried);
  const hid_t type = native_type(array.type);
  const Handle data(H5Dcreate2(group, array.name.c_str(), type, space.id(), H5P_DEFAULT,
                               creation.id(), H5P_DEFAULT),
                    H5Dclose, where, tried);
  std::vector<std::byte> packed;
  for_each_slab(array, [&](const Slab& slab) {
    packed.resize(static_cast<std::size_t>(slab.planes * slab.rows * row_bytes(array)));
    for_each_run(array, slab, [&](std::int64_t at, const std::byte* from, std::int64_t bytes) {
      std::memcpy(packed.data() + at, from, static_cast<std::size_t>(bytes));
    });
    const Handle memory = select(space.id(), array, slab, where);
    require(H5Dwrite(data.id(), type, memory.id(), space.id(), H5P_DEFAULT, packed.data()), where,
            tried);
  });
}

void check_array(hid_t group, const ConstStridedArray& array, const std::string& where) {
  const Handle data = open_dataset(group, array, where);
  const Handle space(H5Dget_space(data.id()), H5Sclose, where, "reading " + what(array));
  const Handle type(H5Dget_type(data.id()), H5Tclose, where, "reading " + what(array));
  const std::vector<hsize_t> wanted = extents(array);
  std::vector<hsize_t> shape(H5S_MAX_RANK);
  const int rank = H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
  shape.resize(static_cast<std::size_t>(std::max(rank, 0)));
  if (shape != wanted)
    throw Error::input(where,
                       fmt::format("{} is of another size there: {} points, and {} here",
                                   what(array), shape_text(shape), shape_text(wanted)),
                       "restart with the mesh that it was written with");
  if (H5Tequal(type.id(), native_type(array.type)) <= 0)
    throw Error::input(where, fmt::format("{} isn't {} there", what(array), to_string(array.type)),
                       "use a file of this program and version");
}

void read_array(hid_t group, const StridedArray& array, const std::string& where) {
  const std::string tried = "reading " + what(array);
  const Handle data = open_dataset(group, array, where);
  const Handle space(H5Dget_space(data.id()), H5Sclose, where, tried);
  std::vector<std::byte> packed;
  for_each_slab(array, [&](const Slab& slab) {
    packed.resize(static_cast<std::size_t>(slab.planes * slab.rows * row_bytes(array)));
    const Handle memory = select(space.id(), array, slab, where);
    require(H5Dread(data.id(), native_type(array.type), memory.id(), space.id(), H5P_DEFAULT,
                    packed.data()),
            where, tried);
    for_each_run(array, slab, [&](std::int64_t at, std::byte* to, std::int64_t bytes) {
      std::memcpy(to, packed.data() + at, static_cast<std::size_t>(bytes));
    });
  });
}

}  // namespace Atoll::stencil::hdf5
