// Quantities with units, exactly.
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
  double factor;
};
constexpr Unit kLatencies[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}};
constexpr Unit kBandwidths[] = {{"B/s", 1},        {"kB/s", 1e3},    {"MB/s", 1e6},
                                {"GB/s", 1e9},     {"TB/s", 1e12},   {"KiB/s", 0x1p10},
                                {"MiB/s", 0x1p20}, {"GiB/s", 0x1p30}};

std::optional<double> parse(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& unit : units)
    if (text == unit.name) return value * unit.factor;
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_latency(std::string_view text) {
  return parse(text, kLatencies);
}
std::optional<double> parse_bandwidth(std::string_view text) {
  return parse(text, kBandwidths);
}

std::string write_latency(double ns) {
  return fmt::format("{} ns", ns);
}

std::string write_bandwidth(double bytes_per_second) {
  for (const Unit& unit : {kBandwidths[3], kBandwidths[6]}) {  // GB/s; MiB/s is hwloc's unit
    const std::string text = fmt::format("{:.6g} {}", bytes_per_second / unit.factor, unit.name);
    if (parse_bandwidth(text) == bytes_per_second) return text;
  }
  return fmt::format("{} B/s", bytes_per_second);
}

std::string write_bytes(std::uint64_t bytes) {
  for (const auto& [unit, name] : {std::pair{kGiB, "GiB"}, {kMiB, "MiB"}, {kKiB, "KiB"}})
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{} {}", bytes / unit, name);
  return fmt::format("{} B", bytes);
}

}  // namespace Atoll::detail
