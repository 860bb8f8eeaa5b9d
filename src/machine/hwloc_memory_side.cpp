// Memory-side caches as shown by hwloc.
#include <algorithm>
#include <bit>

#include "machine/check.hpp"
#include "machine/hwloc_read.hpp"
#include "machine/memory_side_file.hpp"

namespace Atoll::detail {
namespace {

RangedFigure estimate(double value, double low, double high) {
  return {value, low, high, {Origin::estimated, "usual of memory-side caches"}};
}

}  // namespace

std::optional<MemorySideCache> memory_side_of(hwloc_obj_t numa_node, std::uint64_t line_bytes,
                                              std::uint64_t capacity_bytes) {
  hwloc_obj_t nearest = nullptr;
  for (hwloc_obj_t around = numa_node->parent;
       around != nullptr && around->type == HWLOC_OBJ_MEMCACHE; around = around->parent)
    nearest = around;
  if (nearest == nullptr) return std::nullopt;
  const auto& told = nearest->attr->cache;
  MemorySideCache cache;
  cache.memory = NodeId{numa_node->os_index};
  cache.bytes = told.size;
  cache.line_bytes =
      std::clamp<std::uint64_t>(std::bit_ceil(std::uint64_t{told.linesize}), line_bytes,
                                std::max(line_bytes, kMaxMemorySideLine));
  // hwloc: -1 is fully associative, 0 unknown, which Linux reports for anything except direct
  // mapped. More than 16 ways make hardly any difference.
  cache.ways =
      told.associativity <= 0 ? 16 : static_cast<std::uint64_t>(std::min(told.associativity, 16));
  cache.bytes -= cache.bytes % (cache.line_bytes * cache.ways);
  if (cache.bytes / (cache.line_bytes * cache.ways) < kLeastMemorySideSets ||
      cache.bytes < kLeastMemorySideBytes || cache.bytes > kMaxBytes ||
      (capacity_bytes > 0 && cache.bytes > capacity_bytes))
    return std::nullopt;
  cache.source = {Origin::firmware, "hwloc's memory-side cache"};
  cache.latency_ns = estimate(140, 90, 200);
  cache.check_ns = estimate(60, 10, 150);
  cache.bytes_per_second = estimate(200e9, 60e9, 500e9);
  return cache;
}

}  // namespace Atoll::detail
