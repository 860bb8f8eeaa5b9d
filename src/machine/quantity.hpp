// Latencies, bandwidths and sizes as a machine file writes them: always with their unit, and so
// that reading gives back the same value to the last bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::detail {

/// "98 ns", "1.2 us": nanoseconds. Nothing for anything else.
[[nodiscard]] std::optional<double> parse_latency(std::string_view text);
/// "9.6 GB/s", "512 MiB/s": bytes per second.
[[nodiscard]] std::optional<double> parse_bandwidth(std::string_view text);

[[nodiscard]] std::string write_latency(double ns);
[[nodiscard]] std::string write_bandwidth(double bytes_per_second);
[[nodiscard]] std::string write_bytes(std::uint64_t bytes);

}  // namespace Atoll::detail
