// Arithmetic of compiled programs for cases that are undefined in C++. Emitted code calls these
// functions.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace Atoll::greenmarl {

/// These throw Error (failed) that names `where` in the program.
[[noreturn]] void fail_division_by_zero(const char* where);
/// Returns INF and -INF of the narrower type for those of the wider; fails for other values.
[[nodiscard]] std::int32_t infinity_or_fail(const char* where, std::int64_t value);

/// Divides towards zero, as C++ does. Division by zero fails; the one quotient beyond the type
/// wraps round.
template <class Integer>
[[nodiscard]] Integer divide(Integer a, Integer b, const char* where) {
  if (b == 0) [[unlikely]]
    fail_division_by_zero(where);
  if (b == -1) {
    using Unsigned = std::make_unsigned_t<Integer>;
    return static_cast<Integer>(Unsigned{0} - static_cast<Unsigned>(a));
  }
  return a / b;
}

/// The remainder, with the sign of `a`.
template <class Integer>
[[nodiscard]] Integer remainder(Integer a, Integer b, const char* where) {
  if (b == 0) [[unlikely]]
    fail_division_by_zero(where);
  return b == -1 ? Integer{0} : a % b;
}

/// Converts a Long to an Int; fails if it doesn't fit.
[[nodiscard]] inline std::int32_t narrow(std::int64_t value, const char* where) {
  if (value != static_cast<std::int32_t>(value)) [[unlikely]]
    return infinity_or_fail(where, value);
  return static_cast<std::int32_t>(value);
}

/// The integer nearest to `value` on the way to zero. A value that is too large becomes the largest
/// (or lowest) one, and NaN becomes 0.
template <class Integer, class Number>
[[nodiscard]] Integer nearest(Number value) {
  using Limits = std::numeric_limits<Integer>;
  if (value != value) return 0;
  if (value <= static_cast<Number>(Limits::min())) return Limits::min();
  if (value >= static_cast<Number>(Limits::max())) return Limits::max();
  return static_cast<Integer>(value);
}

}  // namespace Atoll::greenmarl
