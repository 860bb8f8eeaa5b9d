// Small machines and synthetic programs for the simulator's tests.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "simulate/engine.hpp"

namespace Atoll::simulate {

/// A machine of two nodes with one memory each. A wire in each direction connects the nodes, and
/// every core has its own caches.
struct SmallMachine {
  explicit SmallMachine(std::uint32_t cores_of_node, std::uint32_t nodes = 2) {
    shape.cores = shape.l2s = cores_of_node * nodes;
    shape.chips = nodes;
    shape.memories = nodes;
    shape.prefetch_streams = 0;
    for (std::uint32_t core = 0; core < shape.cores; ++core) {
      shape.chip_of_l2.push_back(core / cores_of_node);
      hw_threads.push_back({core, core, core / cores_of_node, core / cores_of_node});
    }
    for (std::uint32_t node = 0; node < nodes; ++node) shape.node_of_chip.push_back(node);
    shape.tlb1 = {CacheShape{64, 4}, CacheShape{32, 4}, CacheShape{4, 4}};
    shape.tlb2 = {CacheShape{512, 4}, CacheShape{512, 4}, CacheShape{16, 4}};
    timing.core.instruction = 100;
    timing.core.l1 = 1'600;
    timing.core.l2 = 5'000;
    timing.core.tlb2 = 2'800;
    timing.machine.near_cache = 30'000;
    timing.machine.far_cache = 50'000;
    timing.machine.home_busy = 20'000;
    timing.machine.page_fault = {0, 0, 0};
    timing.machine.nodes = timing.machine.memories = nodes;
    for (std::uint32_t from = 0; from < nodes; ++from) {
      timing.machine.node_of_home.push_back(from);
      timing.machine.read_open.push_back(3'200);  // 20 GB/s: 3,200 ps per line
      timing.machine.read_closed.push_back(3'200);
      timing.machine.write_open.push_back(3'200);
      timing.machine.write_closed.push_back(3'200);
      for (std::uint32_t to = 0; to < nodes; ++to) {
        timing.machine.latency.push_back(from == to ? 100'000 : 180'000);
        timing.machine.is_local.push_back(from == to);
        std::vector<std::uint16_t> there, back;
        if (from != to) {
          there.push_back(static_cast<std::uint16_t>(to * nodes + from));  // reads from memory `to`
          back.push_back(static_cast<std::uint16_t>(from * nodes + to));
        }
        timing.machine.from_memory.push_back(there);
        timing.machine.to_memory.push_back(back);
        timing.machine.from_node.push_back(there);
      }
    }
    timing.machine.wire.assign(std::size_t{nodes} * nodes, 6'400);  // 10 GB/s: 6,400 ps per line
  }
  Shape shape;
  Timing timing;
  std::vector<HardwareThread> hw_threads;
};

/// A program whose threads generate their accesses. `home` chooses the node of each page.
class SyntheticProgram : public SimulatedProgram {
 public:
  using Next = std::function<bool(Batch&)>;
  bool next(std::uint32_t thread, Batch& batch) override { return threads[thread](batch); }
  Page touch(std::uint32_t /*thread*/, std::uint32_t node, std::uint64_t address,
             Fault fault) override {
    return {.size = fault.small ? PageClass::small : pages,
            .home = home ? home(node, address) : static_cast<std::uint16_t>(node),
            .zero = shares_zeros && !fault.write};
  }
  std::uint32_t object_of(std::uint32_t /*thread*/, std::uint64_t /*address*/) override {
    return 0;
  }
  Span span_of_object(std::uint32_t /*thread*/, std::uint64_t /*address*/) override {
    return {0, ~std::uint64_t{0}};
  }

  std::vector<Next> threads;
  std::function<std::uint16_t(std::uint32_t node, std::uint64_t address)> home;
  PageClass pages = PageClass::gigantic;
  bool shares_zeros = false;  ///< a first read maps the zero page
};

/// An access with its style.
struct StyledAccess {
  record::AccessStyle style;
  std::uint64_t address = 0;
  std::uint32_t bytes = 8;
  bool write = false;
};
using TestRecord = std::variant<StyledAccess, recording::Work, recording::StreamEvent,
                                recording::StreamWait, recording::StreamPlacement>;

void append(Batch& batch, const TestRecord& record);

/// Returns a thread that executes these records.
SyntheticProgram::Next executes(std::vector<TestRecord> records);

/// Returns a thread with `count` accesses, in batches. address(i) gives the address of access i.
template <typename Address>
SyntheticProgram::Next accesses(std::uint64_t count, Address address, StyledAccess like = {}) {
  return [=, done = std::uint64_t{0}](Batch& batch) mutable {
    if (done == count) return false;
    for (int i = 0; i < 1000 && done < count; ++i, ++done) {
      like.address = address(done);
      append(batch, like);
    }
    return true;
  };
}

// Waits; `key` is that of a lock, a semaphore or a barrier.
constexpr recording::StreamWait released(std::uint64_t release, std::uint64_t key = 0,
                                         std::uint32_t count = 0) {
  return {.kind = recording::RecordKind::released, .release = release, .key = key, .count = count};
}
constexpr recording::StreamWait waited(std::uint64_t release) {
  return {.kind = recording::RecordKind::waited, .release = release};
}
constexpr recording::StreamWait posted(std::uint64_t key, std::uint64_t number) {
  return {.kind = recording::RecordKind::posted, .key = key, .number = number};
}
constexpr recording::StreamWait took(std::uint64_t key, std::uint64_t number) {
  return {.kind = recording::RecordKind::took, .key = key, .number = number};
}
constexpr recording::StreamWait barrier(std::uint64_t key, std::uint64_t round,
                                        std::uint32_t threads) {
  return {.kind = recording::RecordKind::barrier, .key = key, .number = round, .count = threads};
}

inline std::uint64_t random_line(std::uint64_t i, std::uint64_t lines, std::uint64_t seed) {
  std::uint64_t x = (i + seed * 0x1234'5671) * 0x9e37'79b9'7f4a'7c15U;
  x ^= x >> 29;
  x *= 0xbf58'476d'1ce4'e5b9U;
  return (x >> 17) % lines * 64;
}

struct Ran {
  EngineResult result;
  std::vector<QueueTotals> controllers, wires, homes;
  std::vector<std::uint64_t> traffic;
  double ns = 0;
  std::vector<std::string> violated_invariants;
};

/// Runs the program with thread i on hardware thread seat_of[i] (default: i), and checks the
/// invariants. If `windows` isn't null, it records the run.
Ran run(const SmallMachine& machine, SyntheticProgram& program,
        std::vector<std::uint32_t> seat_of = {}, Windows* windows = nullptr);

}  // namespace Atoll::simulate
