// Formatting and parsing of quantities. In the API, names of quantities end with their unit:
// `_bytes`, `_ns`, `_seconds`, `_bytes_per_second`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace Atoll {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

/// Returns text such as "512 B", "4 KiB" or "1.5 GiB": three significant digits from KiB upwards.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// Returns text such as "102 GB/s" (decimal units, as usual for bandwidths).
[[nodiscard]] std::string format_bandwidth(double bytes_per_second);
/// Returns text such as "85 ns", "1.24 ms" or "3.1 s".
[[nodiscard]] std::string format_seconds(double seconds);
/// Formats 64 000 000 as "64,000,000".
[[nodiscard]] std::string format_count(std::uint64_t count);

/// Parses "4096", "64 KiB", "64k", "1.5GiB" or "2GB" (KB, MB, GB are decimal; k, m, g and KiB, MiB,
/// GiB binary). Throws Error (input) with `where` for other text or a size above 2^64-1.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text, std::string_view where);

}  // namespace Atoll
