// Formats and parses units.
#include "atoll/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

// Formats with three significant digits and no trailing zeros: 1.50 -> "1.5", 2.00 -> "2", 128.4 ->
// "128".
std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : 2);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

template <std::size_t Count>
std::string scaled(double value, double step, const std::array<const char*, Count>& units) {
  std::size_t unit = 0;
  while (unit + 1 < Count && value >= step * 0.9995) {
    value /= step;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units.at(unit));
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return scaled(static_cast<double>(bytes), 1024.0, units);
}

std::string format_bandwidth(double bytes_per_second) {
  static constexpr std::array units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  return scaled(bytes_per_second, 1000.0, units);
}

std::string format_seconds(double seconds) {
  if (seconds >= 0.9995) return fmt::format("{} s", three_digits(seconds));
  static constexpr std::array units{"ns", "us", "ms", "s"};
  return scaled(seconds * 1e9, 1000.0, units);
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::uint64_t parse_bytes(std::string_view text, std::string_view where) {
  const auto wrong = [&] {
    return Error::input(where, fmt::format("'{}' is not a size", text),
                        "write 4096, 64k or 1.5 GiB");
  };
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !(number >= 0)) throw wrong();
  std::string unit;
  for (const char c : text.substr(static_cast<std::size_t>(rest - text.data())))
    if (c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr std::array<Unit, 15> units{{{"", 1},
                                               {"b", 1},
                                               {"k", 0x1p10},
                                               {"kib", 0x1p10},
                                               {"m", 0x1p20},
                                               {"mib", 0x1p20},
                                               {"g", 0x1p30},
                                               {"gib", 0x1p30},
                                               {"t", 0x1p40},
                                               {"tib", 0x1p40},
                                               {"kb", 1e3},
                                               {"mb", 1e6},
                                               {"gb", 1e9},
                                               {"tb", 1e12},
                                               {"pib", 0x1p50}}};
  for (const Unit& known : units) {
    if (known.name != unit) continue;
    const double bytes = number * known.bytes;
    if (!(bytes < 0x1p64)) throw wrong();
    return static_cast<std::uint64_t>(std::round(bytes));
  }
  throw wrong();
}

}  // namespace Atoll
