// Units as people write them. Quantities in the API carry their unit in the name: `_bytes`, `_ns`,
// `_seconds`, `_bytes_per_second`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace Atoll {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

/// "512 B", "4 KiB", "1.5 GiB": at most three digits after the first unit.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// "102 GB/s" (decimal units, as bandwidths are quoted).
[[nodiscard]] std::string format_bandwidth(double bytes_per_second);
/// "85 ns", "1.24 ms", "3.1 s".
[[nodiscard]] std::string format_seconds(double seconds);
/// Writes 64 000 000 as "64,000,000".
[[nodiscard]] std::string format_count(std::uint64_t count);

/// Reads "4096", "64 KiB", "64k", "1.5GiB", "2GB" (KB, MB, GB decimal; k, m, g and KiB, MiB, GiB
/// binary). Throws Error (input), naming `where`, for anything else or a size beyond 2^64-1.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text, std::string_view where);

}  // namespace Atoll
