// Recomputes the predicted time by brute force over synthetic accesses, from the machine's links
// and the formulas of docs/analyses.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "atoll/machine/hardware.hpp"
#include "profile/places.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {

inline constexpr double kLine = 64;

/// Returns the norm of the busiest thread, controller and port. traffic[i][m] is the number of
/// lines from memory m to node i; node i's busiest thread has the fraction part[i] of them. Each
/// node has its own memory.
inline double by_hand(const Machine& machine, const std::vector<NodeId>& nodes,
                      const std::vector<std::vector<double>>& traffic,
                      const std::vector<double>& part) {
  const std::size_t count = nodes.size();
  std::vector<double> threads(count), memories(count), in(count), out(count), neighbours(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::set<int> cores;
    for (const Processor& processor : machine.processors())
      if (processor.node == nodes[i]) cores.insert(processor.core);
    const double least = std::max(part[i], 1 / static_cast<double>(cores.size()));
    double nearest = INFINITY;
    for (std::size_t m = 0; m < count; ++m)
      if (m != i) nearest = std::min(nearest, machine.link(nodes[i], nodes[m]).distance);
    for (std::size_t m = 0; m < count; ++m) {
      const Link& link = machine.link(nodes[i], nodes[m]);
      if (m != i && link.distance == nearest) ++neighbours[i];
      double fastest = 0;
      for (const NodeId from : nodes)
        fastest = std::max(fastest, machine.link(from, nodes[m]).read_bytes_per_second.value);
      threads[i] += traffic[i][m] * least * link.latency_ns.value * 1e-9 /
                    machine.hardware()[HardwareFigure::lines_in_flight].value;
      memories[m] += traffic[i][m] * kLine / fastest;
      if (m == i) continue;
      in[i] += traffic[i][m] * kLine / link.read_bytes_per_second.value;
      out[m] += traffic[i][m] * kLine / link.read_bytes_per_second.value;
    }
  }
  double port = 0;
  for (std::size_t i = 0; i < count; ++i)
    port = std::max(port, std::max(in[i], out[i]) / std::clamp(neighbours[i], 1.0, 4.0));
  const double thread = std::ranges::max(threads), memory = std::ranges::max(memories);
  return std::pow(std::pow(thread, 4) + std::pow(memory, 4) + std::pow(port, 4), 0.25);
}

/// Recomputes the predicted time. `memory_of(page, first toucher)` returns the index of the page's
/// memory in places.nodes.
template <class MemoryOf>
double seconds_by_hand(const Machine& machine, const Places& places, const SyntheticRun& run,
                       MemoryOf&& memory_of) {
  const std::size_t nodes = places.nodes.size();
  std::vector<std::vector<double>> traffic(nodes, std::vector<double>(nodes));
  std::map<std::uint32_t, double> of_thread;
  std::vector<double> all(nodes), most(nodes), part(nodes);
  for (const auto& [key, threads] : run.pages()) {
    const auto first = std::ranges::min_element(
        threads, {}, [](const auto& entry) { return entry.second.first_access; });
    const std::size_t memory = memory_of(key.second, first->first);
    for (const auto& [thread, row] : threads) {
      const auto count = static_cast<double>(row.reads + row.writes);
      traffic[places.nodes_of_threads[thread]][memory] += count;
      of_thread[thread] += count;
    }
  }
  for (const auto& [thread, count] : of_thread) {
    const std::uint32_t node = places.nodes_of_threads[thread];
    all[node] += count;
    most[node] = std::max(most[node], count);
  }
  for (std::size_t node = 0; node < nodes; ++node)
    part[node] = all[node] == 0 ? 0 : most[node] / all[node];
  return by_hand(machine, places.nodes, traffic, part);
}

}  // namespace Atoll::profile
