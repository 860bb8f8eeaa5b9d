// Reads and writes latencies, bandwidths and sizes of a machine file: always with their unit, and
// so that reading gives back the same value to the last bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::detail {

/// Reads "98 ns" or "1.2 us" as nanoseconds. Returns nothing for anything else.
[[nodiscard]] std::optional<double> parse_latency(std::string_view text);
/// Reads "9.6 GB/s" or "512 MiB/s" as bytes per second.
[[nodiscard]] std::optional<double> parse_bandwidth(std::string_view text);

[[nodiscard]] std::string write_latency(double ns);
[[nodiscard]] std::string write_bandwidth(double bytes_per_second);
[[nodiscard]] std::string write_bytes(std::uint64_t bytes);

}  // namespace Atoll::detail
