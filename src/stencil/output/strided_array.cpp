// Parts of strided arrays: planes and components.
#include "atoll/stencil/strided_array.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "atoll/stencil/mesh.hpp"
#include "stencil/output/field_arrays.hpp"

namespace Atoll::stencil {

ConstStridedArray slice_of(const ConstStridedArray& array, int dimension, std::int64_t index) {
  if (array.dimensions != 3)
    throw Error::input(array.name,
                       fmt::format("has {} dimensions, so it has no slices", array.dimensions),
                       "take a slice of a field of three");
  if (dimension < 0 || dimension > 2)
    throw Error::input(array.name, fmt::format("has no dimension {}", dimension),
                       "0 is x, 1 is y, 2 is z");
  const auto d = static_cast<std::size_t>(dimension);
  if (index < 0 || index >= array.points[d])
    throw Error::input(array.name, fmt::format("has no plane {} in {}", index, "xyz"[d]),
                       fmt::format("the planes are 0 to {}", array.points[d] - 1));
  ConstStridedArray plane = array;
  plane.dimensions = 2;
  plane.first += index * array.strides[d];
  for (std::size_t to = 0, from = 0; from < 3; ++from) {
    if (from == d) continue;
    plane.points[to] = array.points[from];
    plane.strides[to] = array.strides[from];
    plane.staggered[to] = array.staggered[from];
    ++to;
  }
  plane.points[2] = 1;
  plane.strides[2] = 0;
  plane.finished = nullptr;
  plane.staggered[2] = false;
  return plane;
}

ConstStridedArray component_of(const ConstStridedArray& array, int component) {
  if (component < 0 || component >= array.components)
    throw Error::input(array.name, fmt::format("has no component {}", component),
                       fmt::format("the components are 0 to {}", array.components - 1));
  ConstStridedArray part = array;
  part.first += component * array.component_stride;
  part.components = 1;
  return part;
}

StridedArray array_of(const FieldStorage& field, const Range& range, std::byte* origin) {
  const auto bytes = static_cast<std::int64_t>(bytes_of(field.type()));
  StridedArray array{.name = field.name(),
                     .type = field.type(),
                     .dimensions = field.mesh().dimensions(),
                     .components = field.options().components,
                     .strides = {bytes, bytes * field.stride_y(), bytes * field.stride_z()},
                     .component_stride = bytes * field.stride_component(),
                     .first = origin + field.distance(range.lo[0], range.lo[1], range.lo[2]),
                     .staggered = field.options().staggered};
  for (std::size_t d = 0; d < array.points.size(); ++d)
    array.points[d] = std::int64_t{range.hi[d]} - range.lo[d];
  if (origin != field.origin())  // the field isn't in memory as a whole
    array.finished = [&field, first = range.lo[static_cast<std::size_t>(array.dimensions - 1)]](
                         std::int64_t rows) {
      detail::release_rows(field, first + static_cast<int>(rows));
    };
  return array;
}

ConstStridedArray output_of(FieldStorage& field) {
  return array_of(field, field.interior(), detail::before_access(field, false));
}

}  // namespace Atoll::stencil
