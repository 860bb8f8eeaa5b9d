// The scheduler of real loops, on simulated threads with a virtual clock and skewed work. It
// finishes as early as one central queue would, and most work stays on its home node.
// Deterministic, and independent of the computer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "atoll/array/array.hpp"
#include "atoll/parallel/chunk_queues.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

constexpr std::size_t kChunks = 8192;
constexpr double kTakeNs = 20;        // time to take a chunk from a queue
constexpr double kMeanWorkNs = 2000;  // of a chunk on its own node

/// Work of each chunk in ns.
using Work = std::vector<double>;

Work scaled(const std::function<double(std::size_t)>& weight) {
  Work work(kChunks);
  double sum = 0;
  for (std::size_t i = 0; i < kChunks; ++i) sum += work[i] = weight(i);
  for (double& one : work) one *= kMeanWorkNs * kChunks / sum;
  return work;
}

struct Workload {
  std::string name;
  Work work;
};

std::vector<Workload> make_workloads() {
  std::mt19937_64 engine(7);
  const auto uniform = [&] { return (static_cast<double>(engine() >> 11) + 0.5) * 0x1p-53; };
  const auto rank = [](std::size_t i) { return static_cast<double>(i + 1); };
  const auto block = [](std::size_t first) {  // half of the work in 1/32 of the chunks
    return scaled([=](std::size_t i) { return i - first < kChunks / 32 ? 31.0 : 1.0; });
  };
  return {{"even", scaled([](std::size_t) { return 1; })},
          {"random", scaled([&](std::size_t) { return -std::log(uniform()); })},
          {"power law", scaled([&](std::size_t) {  // like degrees of a graph
             double sum = 0;
             for (std::size_t i = 0; i < kLoopChunk; ++i) sum += std::pow(uniform(), -1 / 1.5);
             return sum;
           })},
          {"power law, sorted", scaled([&](std::size_t i) { return std::pow(rank(i), -0.5); })},
          {"ramp up", scaled(rank)},
          {"ramp down", scaled([&](std::size_t i) { return rank(kChunks - 1 - i); })},
          {"heavy block first", block(0)},
          {"heavy block amidst", block(kChunks * 5 / 9)},
          {"heavy block last", block(kChunks - kChunks / 32)}};
}

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = make_workloads();
  return all;
}

/// Result of a run on the virtual clock.
struct Outcome {
  double makespan_ns = 0;
  std::size_t remote_chunks = 0;    ///< chunks executed on another node than their home
  double remote_work = 0;           ///< work in remote_chunks
  std::vector<std::size_t> ran_by;  ///< thread of each chunk
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::vector<ChunkQueues::Taker> takers_of(ChunkQueues& queues, const ThreadPlaces& places) {
  std::vector<ChunkQueues::Taker> takers;
  for (std::size_t thread = 0; thread < places.size(); ++thread)
    takers.emplace_back(queues, thread, LoopSchedule::dynamic);
  return takers;
}

class VirtualClock {
 public:
  /// `memory_share` is the fraction of a chunk's local run time that is proportional to memory
  /// latency.
  VirtualClock(const Machine& machine, const ThreadPlaces& places, std::vector<NodeId> homes,
               double memory_share)
      : machine_(machine), places_(places), homes_(std::move(homes)), share_(memory_share) {}

  /// take(thread, chunk) has the contract of ChunkQueues::Taker::take. The thread with the lowest
  /// clock runs next.
  Outcome run(const Work& work, const std::function<bool(std::size_t, std::size_t&)>& take) const {
    Outcome outcome{0, 0, 0, std::vector<std::size_t>(work.size(), places_.size())};
    std::vector<std::pair<double, std::size_t>> clocks;  // min-heap of (clock, thread)
    for (std::size_t thread = 0; thread < places_.size(); ++thread) clocks.emplace_back(0, thread);
    while (!clocks.empty()) {
      std::pop_heap(clocks.begin(), clocks.end(), std::greater<>());
      auto& [time, thread] = clocks.back();
      std::size_t chunk = work.size();
      if (!take(thread, chunk)) {
        clocks.pop_back();
        continue;
      }
      EXPECT_EQ(outcome.ran_by.at(chunk), places_.size()) << "chunk " << chunk << " ran twice";
      outcome.ran_by[chunk] = thread;
      const NodeId here = places_[thread].node, home = homes_[chunk];
      const double slower =
          machine_.link(here, home).latency_ns.value / machine_.link(home, home).latency_ns.value;
      time += kTakeNs + work[chunk] * (1 - share_ + share_ * slower);
      outcome.remote_chunks += here != home ? 1 : 0;
      outcome.remote_work += here != home ? work[chunk] : 0;
      outcome.makespan_ns = std::max(outcome.makespan_ns, time);
      std::push_heap(clocks.begin(), clocks.end(), std::greater<>());
    }
    EXPECT_EQ(std::count(outcome.ran_by.begin(), outcome.ran_by.end(), places_.size()), 0);
    return outcome;
  }

  Outcome run_central(const Work& work) const {
    std::size_t next = 0;
    return run(work,
               [&](std::size_t, std::size_t& chunk) { return (chunk = next++) < work.size(); });
  }

  /// Schedules the chunks with `queues`, as a loop does.
  Outcome run_queues(const Work& work, ChunkQueues&& queues) const {
    std::vector<ChunkQueues::Taker> takers = takers_of(queues, places_);
    return run(work,
               [&](std::size_t thread, std::size_t& chunk) { return takers[thread].take(chunk); });
  }

 private:
  const Machine& machine_;
  const ThreadPlaces& places_;
  std::vector<NodeId> homes_;
  double share_;
};

/// A preset with one thread per core, a matching fake memory, and an array of kChunks chunks.
class Scheduling : public testing::TestWithParam<std::string> {
 protected:
  memory::FakeBackend fake_memory() const {
    std::map<NodeId, memory::FakeBackend::Node> nodes;
    for (const MemoryNode& memory : machine_.memories())
      nodes[memory.id] = {.pages = 1 << 20, .next = {}};
    return memory::FakeBackend(std::move(nodes));
  }
  /// Returns two layouts: one part per thread, and granules that alternate over the threads' nodes.
  std::vector<Layout> layouts() const {
    std::vector<NodeId> parts;
    for (const ThreadPlace& place : places_) parts.push_back(place.node);
    return {{Partitioned{parts}, PageSize::small},
            {Distributed{nodes_of(places_), 64 << 10}, PageSize::small}};
  }
  Array<std::uint8_t> array(const Layout& layout) {
    return {context_, kChunks * kLoopChunk, layout};
  }
  /// Returns the actual node of the middle of each chunk.
  static std::vector<NodeId> homes(const Array<std::uint8_t>& array) {
    const std::vector<NodeId> pages = array.where().front().pages;
    std::vector<NodeId> homes;
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk)
      homes.push_back(pages[(chunk * kLoopChunk + kLoopChunk / 2) / kPageBytes]);
    return homes;
  }

  const Machine machine_ = Machine::open(GetParam());
  const ThreadPlaces places_ = spread_places(machine_);
  const Team team_{places_, Team::Runtime::std_threads, false};
  memory::FakeBackend fake_ = fake_memory();
  const memory::Context context_{machine_, team_, fake_};
};

TEST_P(Scheduling, AsEarlyAsACentralQueueWithHalfOfItsRemoteAccesses) {
  for (const Layout& layout : layouts()) {
    const Array<std::uint8_t> data = array(layout);
    for (const double memory_share : {0.0, 0.5, 1.0}) {
      const VirtualClock clock(machine_, places_, homes(data), memory_share);
      for (const Workload& load : workloads()) {
        SCOPED_TRACE(load.name + ", " + to_string(layout) + ", memory's share " +
                     std::to_string(memory_share));
        const auto run = [&] {
          return clock.run_queues(
              load.work, ChunkQueues(team_.neighbours(), data.raw(), LoopSchedule::dynamic));
        };
        const Outcome near = run(), central = clock.run_central(load.work);
        EXPECT_LE(near.makespan_ns, 1.1 * central.makespan_ns);
        EXPECT_LE(near.remote_chunks, central.remote_chunks / 2);  // by number of chunks
        EXPECT_LE(near.remote_work, central.remote_work / 2);      // by work
        EXPECT_EQ(near, run());
      }
    }
  }
}

TEST_P(Scheduling, AnIndexRangeIsAtHomeWhereAPartitionedArrayIs) {
  const Array<std::uint8_t> data = array(layouts().front());
  const VirtualClock clock(machine_, places_, homes(data), 0.5);
  for (const Workload& load : workloads()) {
    const Outcome near = clock.run_queues(load.work, ChunkQueues(team_.neighbours(), kChunks));
    const Outcome central = clock.run_central(load.work);
    EXPECT_LE(near.makespan_ns, 1.1 * central.makespan_ns) << load.name;
    EXPECT_LE(near.remote_work, central.remote_work / 2) << load.name;
  }
}

/// A chunk that is as large as a thread's share delays the end if it starts late. The scheduler's
/// time to reach it depends on its position, so all positions are compared.
TEST_P(Scheduling, OneChunkAsLargeAsAThreadsShareWhereverItIs) {
  const Array<std::uint8_t> data = array(layouts().front());
  const VirtualClock clock(machine_, places_, homes(data), 0);
  double near = 0, central = 0;
  for (std::size_t at = 0; at < kChunks; at += 61) {
    const double share = static_cast<double>(kChunks) / static_cast<double>(places_.size());
    const Work work = scaled([&](std::size_t i) { return i == at ? share : 1; });
    near += clock.run_queues(work, ChunkQueues(team_.neighbours(), kChunks)).makespan_ns;
    central += clock.run_central(work).makespan_ns;
  }
  EXPECT_LE(near, 1.1 * central);
}

TEST_P(Scheduling, TakesFromTheNearestNodeThatHasAnyLeft) {
  const Array<std::uint8_t> data = array(layouts().front());
  const std::vector<NodeId> home = homes(data);
  const VirtualClock clock(machine_, places_, home, 1);
  for (const Workload& load : workloads()) {
    std::map<NodeId, std::size_t> left;
    for (const NodeId node : home) ++left[node];
    ChunkQueues queues(team_.neighbours(), data.raw(), LoopSchedule::dynamic);
    std::vector<ChunkQueues::Taker> takers = takers_of(queues, places_);
    std::size_t too_far = 0;
    clock.run(load.work, [&](std::size_t thread, std::size_t& chunk) {
      if (!takers[thread].take(chunk)) return false;
      const auto latency = [&](NodeId node) {
        return machine_.link(places_[thread].node, node).latency_ns.value;
      };
      for (const auto& [node, chunks] : left)
        too_far += chunks > 0 && latency(node) < latency(home[chunk]) ? 1 : 0;
      --left[home[chunk]];
      return true;
    });
    EXPECT_EQ(too_far, 0U) << load.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Scheduling,
                         testing::Values("xeon-2x10", "xeon-4x8x2", "opteron-8x8"),
                         [](const auto& preset) {
                           std::string name = preset.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace Atoll
