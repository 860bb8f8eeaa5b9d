// Conversion of the machine's figures of memory-side caches.
#include <algorithm>
#include <bit>

#include "simulate/model.hpp"

namespace Atoll::simulate {
namespace {

std::size_t position(const Machine& machine, NodeId memory) {
  const auto memories = machine.memories();
  return static_cast<std::size_t>(
      std::lower_bound(memories.begin(), memories.end(), memory,
                       [](const MemoryNode& one, NodeId id) { return one.id < id; }) -
      memories.begin());
}

}  // namespace

std::vector<MemorySideShape> memory_side_shape(const Machine& machine) {
  std::vector<MemorySideShape> shapes;
  for (const MemorySideCache& cache : machine.hardware().memory_side_caches) {
    shapes.resize(machine.memories().size());
    shapes[position(machine, cache.memory)] = {
        {cache.bytes / cache.line_bytes, cache.ways},
        std::countr_zero(cache.line_bytes / machine.caches().line_bytes)};
  }
  return shapes;
}

std::vector<MemorySideTiming> memory_side_timing(const Machine& machine, const Figures& figures) {
  std::vector<MemorySideTiming> timings;
  const std::uint64_t line = machine.caches().line_bytes;
  for (const MemorySideCache& cache : machine.hardware().memory_side_caches) {
    timings.resize(machine.memories().size());
    MemorySideTiming& timing = timings[position(machine, cache.memory)];
    timing.latency = ticks_of_ns(cache.latency_ns.value * figures.memory_side_latency);
    timing.check = ticks_of_ns(cache.check_ns.value * figures.memory_side_check);
    const double bandwidth = cache.bytes_per_second.value * figures.memory_side_bandwidth;
    timing.line = std::max<Ticks>(
        1, static_cast<Ticks>(static_cast<double>(line) * kTicksOfSecond / bandwidth));
    timing.fill_lines = static_cast<std::uint32_t>(cache.line_bytes / line);
  }
  return timings;
}

void add_memory_side_knobs(const Machine& machine, std::vector<VariableFigure>& knobs) {
  const auto add = [&](const char* name, double Figures::*factor,
                       RangedFigure MemorySideCache::*which) {
    double low = 1, high = 1;  // the widest range of all of them
    for (const MemorySideCache& cache : machine.hardware().memory_side_caches) {
      const RangedFigure& figure = cache.*which;
      if (figure.value <= 0) continue;
      low = std::min(low, figure.low / figure.value);
      high = std::max(high, figure.high / figure.value);
    }
    if (low < high) knobs.push_back({name, factor, 0, low, high});
  };
  add("latency of memory-side caches", &Figures::memory_side_latency, &MemorySideCache::latency_ns);
  add("check of memory-side caches", &Figures::memory_side_check, &MemorySideCache::check_ns);
  add("bandwidth of memory-side caches", &Figures::memory_side_bandwidth,
      &MemorySideCache::bytes_per_second);
}

}  // namespace Atoll::simulate
