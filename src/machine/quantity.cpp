// Parses and formats quantities with units, without loss of precision.
#include "machine/quantity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>

#include "atoll/base/units.hpp"

namespace Atoll::detail {
namespace {

struct Unit {
  std::string_view name;
  const char* exponent;  ///< power of ten, or nullptr
  double factor;
};
constexpr Unit kLatencies[] = {{"ns", "e0", 1}, {"us", "e3", 1e3}, {"ms", "e6", 1e6}};
constexpr Unit kBandwidths[] = {{"B/s", "e0", 1},           {"kB/s", "e3", 1e3},
                                {"MB/s", "e6", 1e6},        {"GB/s", "e9", 1e9},
                                {"TB/s", "e12", 1e12},      {"KiB/s", nullptr, 0x1p10},
                                {"MiB/s", nullptr, 0x1p20}, {"GiB/s", nullptr, 0x1p30}};

std::optional<double> parse(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  std::string digits(text.data(), rest);
  text.remove_prefix(digits.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& unit : units) {
    if (text != unit.name) continue;
    if (unit.exponent == nullptr) return value * unit.factor;
    digits += unit.exponent;  // "32.8e9" is closer to the written value than 32.8 * 1e9
    const auto whole = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return whole.ec == std::errc{} ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

/// Formats the value without an exponent, with the fewest digits that parse back to the same value.
std::string fixed(double value) {
  char text[400];
  const auto [end, error] =
      std::to_chars(std::begin(text), std::end(text), value, std::chars_format::fixed);
  return {text, end};
}

}  // namespace

std::optional<double> parse_latency(std::string_view text) {
  return parse(text, kLatencies);
}
std::optional<double> parse_bandwidth(std::string_view text) {
  return parse(text, kBandwidths);
}

std::string write_latency(double ns) {
  return fixed(ns) + " ns";
}

std::string write_bandwidth(double bytes_per_second) {
  for (const Unit& unit : {kBandwidths[3], kBandwidths[6]}) {  // MiB/s is hwloc's unit
    std::string text = fmt::format("{:.6g} {}", bytes_per_second / unit.factor, unit.name);
    if (parse_bandwidth(text) == bytes_per_second) return text;
  }
  return fixed(bytes_per_second) + " B/s";
}

std::string write_bytes(std::uint64_t bytes) {
  for (const auto& [unit, name] : {std::pair{kGiB, "GiB"}, {kMiB, "MiB"}, {kKiB, "KiB"}})
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{} {}", bytes / unit, name);
  return fmt::format("{} B", bytes);
}

}  // namespace Atoll::detail
