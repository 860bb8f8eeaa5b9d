#include "plan/memory_price.hpp"

#include <algorithm>

namespace Atoll::detail {
namespace {

constexpr double kCoresBandwidth = 12e9;  ///< limit of one core, whatever the memory's bandwidth is
constexpr double kUnknownLatencyNs = 100;
constexpr std::uint64_t kUnknownCache = std::uint64_t{1} << 20;
constexpr std::uint64_t kUnknownTlb = 1536;

std::uint64_t line_bytes(const Machine& machine) {
  return std::max<std::uint64_t>(1, machine.caches().line_bytes);
}

/// Returns a cache without a TLB; no cache if `bytes` is 0.
ReuseCaches cache_alone(const Machine& machine, std::uint64_t bytes) {
  return {
      .line_bytes = line_bytes(machine), .cache_bytes = bytes, .tlb_entries = 0, .page_bytes = 0};
}

}  // namespace

ReuseCaches caches_of(const Machine& machine) {
  const CacheFigures& figures = machine.caches();
  const auto sharers = static_cast<std::uint64_t>(std::max(1, figures.l3_shared_by));
  const std::uint64_t bytes = std::max(figures.l2_bytes, figures.l3_bytes / sharers);
  return {.line_bytes = line_bytes(machine),
          .cache_bytes = bytes > 0 ? bytes : kUnknownCache,
          .tlb_entries = figures.tlb_4k > 0 ? figures.tlb_4k : kUnknownTlb,
          .page_bytes = 4096};
}

ReuseCaches inner_caches_of(const Machine& machine) {
  const std::uint64_t bytes = machine.caches().l2_bytes;
  return cache_alone(machine, bytes < caches_of(machine).cache_bytes ? bytes : 0);
}

ReuseCaches first_caches_of(const Machine& machine) {
  return cache_alone(machine, machine.caches().l1_bytes);
}

double miss_seconds(const Machine& machine, NodeId from, NodeId to) {
  const double latency = machine.link(from, to).latency_ns.value;
  return (latency > 0 ? latency : kUnknownLatencyNs) * 1e-9 / kOverlap;
}

double streamed_bytes_per_second(const Machine& machine, NodeId from, NodeId to) {
  const double bandwidth = machine.link(from, to).read_bytes_per_second.value;
  return bandwidth > 0 ? std::min(bandwidth, kCoresBandwidth) : kCoresBandwidth;
}

double stream_seconds(double bytes, double cache_bytes, const Machine& machine, NodeId from,
                      NodeId to) {
  const double cached = std::clamp(1.5 - bytes / cache_bytes, 0.0, 1.0);
  return bytes * (cached / kCachedBytesPerSecond +
                  (1 - cached) / streamed_bytes_per_second(machine, from, to));
}

}  // namespace Atoll::detail
