// Arrays as output and checkpoints see them: a name, the type of a number, the number of points in
// each dimension, and a pointer with strides. What holds the memory, and how, doesn't matter there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace Atoll::stencil {

/// The type of an array's numbers.
enum class ElementType {
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64
};

/// Bytes of one number.
[[nodiscard]] constexpr std::size_t bytes_of(ElementType type) {
  constexpr std::array<std::size_t, 10> bytes{4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

/// The type's usual name: "float64".
[[nodiscard]] constexpr std::string_view to_string(ElementType type) {
  constexpr std::array<std::string_view, 10> names{"float32", "float64", "int8",  "int16",
                                                   "int32",   "int64",   "uint8", "uint16",
                                                   "uint32",  "uint64"};
  return names[static_cast<std::size_t>(type)];
}

/// The ElementType of the C++ type T.
template <typename T>
[[nodiscard]] constexpr ElementType element_type() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? ElementType::float32 : ElementType::float64;
  const int first = static_cast<int>(std::is_signed_v<T> ? ElementType::int8 : ElementType::uint8);
  const int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<ElementType>(first + width);
}

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

}  // namespace Atoll::stencil
