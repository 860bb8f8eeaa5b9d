// Parameters of a kernel: each is an argument of its loop as seen from one point. Each row of
// points has its pointers and strides by value, so that the compiler keeps them in registers and
// vectorizes the loop over x.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "atoll/stencil/field.hpp"
#include "atoll/stencil/reduction.hpp"

namespace Atoll::stencil {

/// The point that the kernel is called for.
struct Index {
  int x = 0, y = 0, z = 0;
  /// Coordinate in one dimension; 0 is x.
  [[nodiscard]] constexpr int operator[](int dimension) const {
    return dimension == 0 ? x : dimension == 1 ? y : z;
  }
};

/// A field at a point: u(1,0) is the value at the next point in x, u[2](1,0) the same of component
/// 2. T is const if the field is only read.
template <class T, bool kColumn>
struct PointAccess {
  T* at;
  std::ptrdiff_t stride_y, stride_z, stride_component;

  /// The value at an offset in points.
  [[gnu::always_inline]] T& operator()(int dx = 0, int dy = 0, int dz = 0) const {
    return at[(kColumn ? 0 : dx) + dy * stride_y + dz * stride_z];
  }
  /// Another component of the field.
  [[gnu::always_inline]] PointAccess operator[](int component) const {
    return {at + component * stride_component, stride_y, stride_z, stride_component};
  }
};

/// Minimum number of rows in the buffer of a reduction: one for each value, the rest are spare.
inline constexpr unsigned kLeastRows = 8;

/// One value of a reduction, at a point.
template <class T, ReduceOp kOp>
struct ReduceValue {
  T* at;

  /// Combines `given` with the value: adds it, or keeps the minimum or maximum.
  template <class Given>
  [[gnu::always_inline]] void operator()(Given given) const {
    static_assert(!(std::is_integral_v<T> && std::is_floating_point_v<Given>),
                  "an integer reduction would truncate these floating-point values; make it of a "
                  "floating-point type, or convert the values in the kernel");
    const T value = static_cast<T>(given);
    if constexpr (kOp == ReduceOp::sum)
      *at = static_cast<T>(*at + value);
    else if constexpr (kOp == ReduceOp::min)
      *at = value < *at ? value : *at;
    else
      *at = value > *at ? value : *at;
  }
};

/// A reduction at a point: r(value) combines a value; r[2](value) does so for the third value of a
/// reduction with several values.
template <class T, ReduceOp kOp>
struct PointReduce {
  T* at;
  std::ptrdiff_t stride;
  unsigned count;         ///< number of values of the reduction
  std::uint64_t* beyond;  ///< counts accesses to values that don't exist

  /// Combines `given` with the first value.
  template <class Given>
  [[gnu::always_inline]] void operator()(Given given) const {
    ReduceValue<T, kOp>{at}(given);
  }
  /// One of several values. If the index is too large, returns a spare row behind the values; the
  /// error is reported at the end of the row. A branch here, or storing the index, would prevent
  /// vectorization.
  [[gnu::always_inline]] ReduceValue<T, kOp> operator[](int which) const {
    const auto number = static_cast<unsigned>(which);
    *beyond += std::uint64_t{number >= count};
    // A constant index isn't clamped, so that the compiler can prove that two rows are distinct.
    if (__builtin_constant_p(number) && number < kLeastRows) return {at + number * stride};
    return {at + std::min(number, count) * stride};
  }
};

}  // namespace Atoll::stencil
