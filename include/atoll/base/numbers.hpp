// Numbers as people write them in a call: the whole text is one number, and it fits.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace Atoll {

/// Reads decimal digits, with '-' in front if Number is signed. Returns nothing for any other text,
/// and for numbers outside of Number's range.
template <std::integral Number>
[[nodiscard]] std::optional<Number> parse_whole(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

/// Reads a finite decimal number, such as -0.5 or 1e-6. Returns nothing for any other text: NaN,
/// infinities and numbers outside of a double's range are among them.
[[nodiscard]] inline std::optional<double> parse_real(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace Atoll
