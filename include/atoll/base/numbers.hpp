// Strict parsing of numbers: the whole text must be one number, in range.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace Atoll {

/// Parses decimal digits, with a leading '-' if Number is signed. Returns an empty value for any
/// other text, and for numbers outside of Number's range.
template <std::integral Number>
[[nodiscard]] std::optional<Number> parse_whole(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

/// Parses a finite decimal number, such as -0.5 or 1e-6. Returns an empty value for any other text,
/// including NaN, infinities and numbers outside of a double's range.
[[nodiscard]] inline std::optional<double> parse_real(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace Atoll
