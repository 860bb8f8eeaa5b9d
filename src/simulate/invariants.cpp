#include "simulate/invariants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atoll/base/error.hpp"

namespace Atoll::simulate {
namespace {

class Laws {
 public:
  void equal(std::int64_t a, std::int64_t b, const std::string& law) {
    if (a != b) broken.push_back(fmt::format("{}: {} and {}", law, a, b));
  }
  void at_most(Ticks a, Ticks b, const std::string& law) {
    if (a > b) broken.push_back(fmt::format("{}: {} above {}", law, a, b));
  }
  std::vector<std::string> broken;
};

std::int64_t whole(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

/// Sums the bytes on each link over the routes of all pairs of node and memory, and of two nodes.
std::vector<std::uint64_t> bytes_of_routes(const Network& network, const Timing& timing) {
  std::vector<std::uint64_t> wires(timing.machine.wire.size());
  const auto add = [&](const std::vector<std::uint16_t>& route, std::uint64_t bytes) {
    for (const std::uint16_t wire : route) wires[wire] += bytes;
  };
  for (std::size_t pair = 0; pair < network.traffic().size(); ++pair) {
    add(timing.machine.to_memory[pair], network.written()[pair]);
    add(timing.machine.from_memory[pair], network.traffic()[pair] - network.written()[pair]);
  }
  for (std::size_t pair = 0; pair < network.transferred().size(); ++pair)
    add(timing.machine.from_node[pair], network.transferred()[pair]);
  return wires;
}

void check_queues(Laws& invariants, const std::vector<Queue>& queues, const char* what,
                  const EngineResult& result) {
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const QueueTotals& totals = queues[i].totals();
    const std::string name = fmt::format("{} {}", what, i);
    invariants.equal(totals.area, totals.waited + totals.busy, "Little's law at " + name);
    invariants.equal(totals.charged, totals.waited, "waiting charged at " + name);
    // Write-backs, prefetches and fills may end after the last thread, and after each timed part.
    const Ticks afterwards = std::max<Ticks>(0, queues[i].free_at() - result.ended);
    invariants.at_most(totals.busy, result.elapsed + afterwards + result.elapsed / 50 + 2'000'000,
                       "bandwidth of " + name);
  }
}

}  // namespace

std::vector<std::string> violated_invariants(const Engine& engine, const Timing& timing,
                                             const EngineResult& result) {
  Laws invariants;
  const Network& network = engine.network();
  invariants.equal(result.stack.sum(), result.thread_time, "the stack adds up");
  std::uint64_t of_nodes = 0;
  // For memories with a cache in front: bytes of the nodes, of the memories, of the caches.
  std::uint64_t asked = 0, behind = 0, in_front = 0;
  for (std::size_t memory = 0; memory < network.controllers().size(); ++memory) {
    std::uint64_t column = 0;
    for (std::size_t node = 0; node < timing.machine.nodes; ++node)
      column += network.traffic()[node * timing.machine.memories + memory];
    const std::uint64_t bytes = network.controllers()[memory].totals().bytes;
    of_nodes += column;
    if (memory < timing.machine.memory_side.size() && timing.machine.memory_side[memory].line > 0) {
      asked += column;
      behind += bytes;
      in_front += network.memory_sides()[memory].totals().bytes;
    } else {
      invariants.equal(whole(column), whole(bytes), fmt::format("bytes of memory {}", memory));
    }
  }
  const std::vector<std::uint64_t> routes = bytes_of_routes(network, timing);
  for (std::size_t wire = 0; wire < routes.size(); ++wire)
    invariants.equal(whole(routes[wire]), whole(network.wires()[wire].totals().bytes),
                     fmt::format("bytes of wire {}", wire));
  check_queues(invariants, network.l3s(), "level 3 cache", result);
  const Counts& counts = result.counts;
  invariants.equal(whole((counts.l3_misses - counts.transfers_far + counts.prefetches_from_memory +
                          counts.write_backs) *
                         timing.machine.line_bytes),
                   whole(of_nodes), "bytes of misses and of the nodes");
  invariants.equal(whole(counts.memory_side_requests * timing.machine.line_bytes), whole(asked),
                   "bytes asked of caches in front of memories");
  invariants.equal(whole((counts.memory_side_fills + counts.memory_side_write_backs) *
                         timing.machine.line_bytes),
                   whole(behind), "bytes of misses and of the memories behind these caches");
  invariants.equal(
      whole((counts.memory_side_requests + counts.memory_side_fills) * timing.machine.line_bytes),
      whole(in_front), "bytes of these caches");
  check_queues(invariants, network.memory_sides(), "the cache in front of memory", result);
  check_queues(invariants, network.controllers(), "controller", result);
  check_queues(invariants, network.wires(), "wire", result);
  check_queues(invariants, network.homes(), "home", result);
  std::uint64_t l1_misses = 0, l2_misses = 0, memory_side = 0;
  for (const ObjectTotals& object : result.objects) {
    l1_misses += object.l1_misses;
    l2_misses += object.l2_misses;
    memory_side += object.memory_side_requests;
  }
  for (std::size_t level = 0; level < result.camat.size(); ++level) {
    const CamatSums& sums = result.camat[level];
    const std::string name = fmt::format("C-AMAT of level {}", level + 1);
    invariants.equal(sums.active, sums.hit_active + sums.pure_miss_active, name);
    if (std::abs(sums.camat() - sums.camat_of_five()) > 1e-6 * sums.camat())
      invariants.broken.push_back(name + " isn't that of five parameters");
    if (level == 1) invariants.equal(whole(sums.accesses), whole(l1_misses), "misses of level 1");
    if (level == 2 && timing.machine.l3 > 0)
      invariants.equal(whole(sums.accesses), whole(l2_misses), "misses of level 2");
    if (level == 3)
      invariants.equal(whole(sums.accesses), whole(memory_side),
                       "accesses beyond all processors' caches");
  }
  return invariants.broken;
}

void check_invariants(const Engine& engine, const Timing& timing, const EngineResult& result) {
  if (const std::vector<std::string> broken = violated_invariants(engine, timing, result);
      !broken.empty())
    throw Error::failed("simulating", "figures contradict each other: " + broken.front(),
                        "report this as an error of the simulator");
}

}  // namespace Atoll::simulate
