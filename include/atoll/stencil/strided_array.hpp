// Arrays as output and checkpoints see them: a name, the type of a number, the number of points in
// each dimension, and a pointer with strides. What holds the memory, and how, doesn't matter there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "atoll/stencil/field.hpp"

namespace Atoll::stencil {

/// A view of an array of numbers on one to three dimensions, x first. `Byte` is const for views
/// that are only read. The memory belongs to somebody else and has to outlive the view.
template <typename Byte>
struct StridedArrayOf {
  std::string name;                             ///< what files call it; not empty
  ElementType type = ElementType::float64;      ///< of each number
  int dimensions = 2;                           ///< 1 to 3
  std::array<std::int64_t, 3> points{1, 1, 1};  ///< in x, y and z; 1 beyond `dimensions`
  int components = 1;                           ///< numbers of one point
  std::array<std::int64_t, 3> strides{};        ///< bytes from a point to the next in x, y, z
  std::int64_t component_stride = 0;            ///< bytes from a component to the next
  Byte* first = nullptr;                        ///< the first number of point (0, 0, 0)
  std::array<bool, 3> staggered{};  ///< one more point than the mesh has cells, in x, y, z

  /// A view that is written serves where one is read.
  operator StridedArrayOf<const Byte>() const
    requires(!std::is_const_v<Byte>)
  {
    return {name,  type,     dimensions, points, components, strides, component_stride,
            first, staggered};
  }

  /// The number of points.
  [[nodiscard]] std::int64_t size() const { return points[0] * points[1] * points[2]; }

  /// The address of the first component of a point.
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

/// A view of numbers that lie densely, x fastest: point (x, y, z) is data[(z·ny + y)·nx + x].
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

/// The plane of `array` with number `index` in a dimension (0: x, 1: y, 2: z), as an array of two
/// dimensions. Throws Error (input) if there is no such plane.
[[nodiscard]] ConstStridedArray slice_of(const ConstStridedArray& array, int dimension,
                                         std::int64_t index);

/// The component with number `component` as an array of its own, of the same name. Throws Error
/// (input) if there is no such component.
[[nodiscard]] ConstStridedArray component_of(const ConstStridedArray& array, int component);

/// The values of a field without its halo, for output. Runs what is queued; valid until the next
/// loop is queued.
[[nodiscard]] ConstStridedArray output_of(FieldStorage& field);
/// The same.
template <Element T, bool kColumn>
[[nodiscard]] ConstStridedArray output_of(const Field<T, kColumn>& field) {
  return output_of(field.storage());
}

}  // namespace Atoll::stencil
