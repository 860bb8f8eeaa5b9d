// Loops on several nodes: nodes of the pages that a thread's chunks access, and copies that threads
// outside the team read.
#include <gtest/gtest.h>
#include <numaif.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "atoll/parallel/for_each.hpp"
#include "guest_system.hpp"

namespace Atoll {
namespace {

using guest::node_of;

class LoopsInGuest : public testing::Test {
 protected:
  static constexpr std::size_t kSize = 6 * 1024 * 1024 + 777;  // 48 MiB, 6 of the largest granules

  std::vector<NodeId> all_nodes() const {
    std::vector<NodeId> nodes;
    for (const MemoryNode& memory : machine_.memories()) nodes.push_back(memory.id);
    return nodes;
  }
  std::vector<NodeId> nodes_of_threads() const {
    std::vector<NodeId> nodes;
    for (const ThreadPlace& place : team_.places()) nodes.push_back(place.node);
    return nodes;
  }

  Machine machine_ = Machine::this_computer();
  Team team_{spread_places(machine_)};
  memory::Context context_{machine_, team_};
};

TEST_F(LoopsInGuest, AFixedLoopRunsOnlyNearItsPages) {
  std::vector<NodeId> backwards = nodes_of_threads();
  std::reverse(backwards.begin(), backwards.end());
  for (const Layout& layout : {Layout{Partitioned{nodes_of_threads()}, PageSize::small},
                               Layout{Partitioned{backwards}, PageSize::small},
                               Layout{Distributed{all_nodes(), 64 << 10}, PageSize::small},
                               Layout{Distributed{all_nodes(), 2 << 20}, PageSize::huge},
                               Layout{Distributed{nodes_of_threads(), 1 << 20}, PageSize::small}}) {
    Array<double> array(context_, kSize, layout);
    std::atomic<std::size_t> chunks{0}, far{0};
    for_each_chunk(team_, array, LoopSchedule::fixed, [&](std::size_t begin, std::size_t end) {
      const auto middle = node_of(array.master().data() + (begin + end) / 2);
      ++chunks;
      if (machine_.nearest_initiator(middle) != current_place().node) ++far;
    });
    EXPECT_EQ(chunks, LoopRange(kSize).chunks());
    EXPECT_EQ(far, 0U) << to_string(layout);
  }
}

TEST_F(LoopsInGuest, ADynamicLoopDoesEveryChunkOnce) {
  Array<std::uint64_t> array(context_, kSize, Layout{Distributed{all_nodes(), 2 << 20}});
  for_each(team_, array, LoopSchedule::dynamic,
           [x = array.master().data()](std::size_t i) { x[i] += i; });
  const auto sum = reduce_chunks(
      team_, array, LoopSchedule::dynamic, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t part = 0;
        for (const auto local = array.local(); begin < end; ++begin) part += local[begin];
        return part;
      },
      std::plus<>());
  EXPECT_EQ(sum, kSize * (kSize - 1) / 2);
}

TEST_F(LoopsInGuest, ThreadsOfOthersReadTheNearestReplica) {
  const Array<double> array(context_, 10'000, Layout{Replicated{all_nodes()}, PageSize::small});
  for (const Processor& processor : machine_.processors())
    std::thread([&] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<std::size_t>(processor.os_index), &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      const NodeId read = node_of(array.local().data());
      for (const NodeId copy : all_nodes())
        EXPECT_LE(machine_.link(processor.node, read).latency_ns.value,
                  machine_.link(processor.node, copy).latency_ns.value);
    }).join();
}

}  // namespace
}  // namespace Atoll
