// Arrays as input of output and checkpoints: a name, an element type, the number of points in each
// dimension, and a pointer with strides. Independent of the type that owns the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "atoll/stencil/field.hpp"

namespace Atoll::stencil {

/// A non-owning view of an array of numbers in one to three dimensions, x first. `Byte` is const
/// for read-only views. The memory must outlive the view.
template <typename Byte>
struct StridedArrayOf {
  std::string name;                             ///< name in files; not empty
  ElementType type = ElementType::float64;      ///< type of each number
  int dimensions = 2;                           ///< 1 to 3
  std::array<std::int64_t, 3> points{1, 1, 1};  ///< in x, y and z; 1 beyond `dimensions`
  int components = 1;                           ///< numbers at each point
  std::array<std::int64_t, 3> strides{};        ///< bytes to the next point in x, y, z
  std::int64_t component_stride = 0;            ///< bytes to the next component
  Byte* first = nullptr;                        ///< first component of point (0, 0, 0)
  std::array<bool, 3> staggered{};  ///< one more point than the mesh has cells, in x, y, z
  /// If set, readers and writers that pass through the array in order call it with the number of
  /// coordinates in the outermost dimension that they have finished: their memory may be released.
  std::function<void(std::int64_t)> finished = {};

  /// A writable view converts to a read-only one.
  operator StridedArrayOf<const Byte>() const
    requires(!std::is_const_v<Byte>)
  {
    return {name,  type,      dimensions, points, components, strides, component_stride,
            first, staggered, finished};
  }

  /// Number of points.
  [[nodiscard]] std::int64_t size() const { return points[0] * points[1] * points[2]; }

  /// Address of the first component of a point.
  [[nodiscard]] Byte* at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return first + x * strides[0] + y * strides[1] + z * strides[2];
  }
};

using StridedArray = StridedArrayOf<std::byte>;
using ConstStridedArray = StridedArrayOf<const std::byte>;

namespace detail {
template <typename T>
using ByteOf = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
}

/// Returns a view of a contiguous array, x fastest: point (x, y, z) is data[(z·ny + y)·nx + x].
template <typename T>
[[nodiscard]] StridedArrayOf<detail::ByteOf<T>> dense_array(std::string name, T* data,
                                                            int dimensions,
                                                            std::array<std::int64_t, 3> points) {
  using Byte = detail::ByteOf<T>;
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  return {.name = std::move(name),
          .type = element_type<std::remove_const_t<T>>(),
          .dimensions = dimensions,
          .points = points,
          .strides = {bytes, bytes * points[0], bytes * points[0] * points[1]},
          .component_stride = bytes,
          .first = reinterpret_cast<Byte*>(data)};
}

/// Returns plane number `index` of `array` in a dimension (0: x, 1: y, 2: z), as an array of two
/// dimensions. Throws Error (input) if the plane doesn't exist.
[[nodiscard]] ConstStridedArray slice_of(const ConstStridedArray& array, int dimension,
                                         std::int64_t index);

/// Returns component number `component` as an array of the same name. Throws Error (input) if the
/// component doesn't exist.
[[nodiscard]] ConstStridedArray component_of(const ConstStridedArray& array, int component);

/// Returns a view of a field's values without its halo, for output. Runs the queued loops first;
/// valid until the next loop is queued.
[[nodiscard]] ConstStridedArray output_of(FieldStorage& field);
/// Overload for handles.
template <Element T, bool kColumn>
[[nodiscard]] ConstStridedArray output_of(const Field<T, kColumn>& field) {
  return output_of(field.storage());
}

}  // namespace Atoll::stencil
