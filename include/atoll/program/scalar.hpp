// A value of any type of Green-Marl.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

namespace Atoll::program {

/// A value of any ValueType. Int, Long, Bool, Node and Edge are stored as integers, Float and
/// Double as double.
using Scalar = std::variant<std::int64_t, double>;

template <class T>
[[nodiscard]] Scalar to_scalar(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<std::int64_t>(value);
}
template <class T>
[[nodiscard]] T from_scalar(Scalar value) {
  return std::visit([](auto number) { return static_cast<T>(number); }, value);
}

}  // namespace Atoll::program
