// Parses and formats latencies, bandwidths and sizes of machine files. They always have a unit, and
// parsing restores the exact value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::detail {

/// Parses "98 ns" or "1.2 us" to nanoseconds. Returns std::nullopt for anything else.
[[nodiscard]] std::optional<double> parse_latency(std::string_view text);
/// Parses "9.6 GB/s" or "512 MiB/s" to bytes per second.
[[nodiscard]] std::optional<double> parse_bandwidth(std::string_view text);

[[nodiscard]] std::string write_latency(double ns);
[[nodiscard]] std::string write_bandwidth(double bytes_per_second);
[[nodiscard]] std::string write_bytes(std::uint64_t bytes);

}  // namespace Atoll::detail
