// Neighbours: the threads of each node, and the other nodes by distance, compared with the
// machine's figures.
#include "atoll/threads/neighbours.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace Atoll {
namespace {

using testing::ElementsAre;

constexpr NodeId n0{0}, n1{1}, n2{2}, n3{3};

TEST(Neighbours, ThreadsByNode) {
  const Neighbours team(ThreadPlaces{{5, n3}, {6, n1}, {7, n3}});
  ASSERT_EQ(team.nodes().size(), 2U);
  EXPECT_EQ(team.nodes()[0].id, n1);
  EXPECT_THAT(team.nodes()[0].threads, ElementsAre(1));
  EXPECT_EQ(team.nodes()[1].id, n3);
  EXPECT_THAT(team.nodes()[1].threads, ElementsAre(0, 2));
  EXPECT_EQ(team.threads(), 3U);
  EXPECT_EQ(team.position_of(2).node, 1U);
  EXPECT_EQ(team.position_of(2).rank, 1U);
}

TEST(Neighbours, WithoutAMachineTheNextByNumber) {
  const Neighbours team(ThreadPlaces{{0, n0}, {1, n1}, {2, n2}});
  EXPECT_THAT(team.nodes()[1].nearest, ElementsAre(1, 2, 0));
  EXPECT_LT(team.nearest_to(NodeId{77}), 3U);
}

TEST(Neighbours, OnEveryPresetTheNearestByLatency) {
  for (const std::string& name : Machine::preset_names()) {
    const Machine machine = Machine::open(name);
    for (const int threads : {1, 3, 0}) {
      const Neighbours team(spread_places(machine, threads));
      std::vector<std::size_t> all;
      for (std::size_t i = 0; i < team.nodes().size(); ++i) all.push_back(i);
      for (std::size_t i = 0; i < team.nodes().size(); ++i) {
        const std::vector<std::size_t>& nearest = team.nodes()[i].nearest;
        EXPECT_THAT(nearest, testing::UnorderedElementsAreArray(all));
        EXPECT_EQ(nearest[0], i);
        for (std::size_t k = 2; k < nearest.size(); ++k) {
          const auto latency = [&](std::size_t node) {
            return machine.link(team.nodes()[i].id, team.nodes()[node].id).latency_ns.value;
          };
          EXPECT_LE(latency(nearest[k - 1]), latency(nearest[k])) << name;
        }
      }
      for (const MemoryNode& memory : machine.memories()) {
        const auto latency = [&](std::size_t node) {
          return machine.link(team.nodes()[node].id, memory.id).latency_ns.value;
        };
        const std::size_t nearest = team.nearest_to(memory.id);
        const bool has_threads =
            std::any_of(team.nodes().begin(), team.nodes().end(),
                        [&](const Neighbours::Node& node) { return node.id == memory.id; });
        if (has_threads) {
          EXPECT_EQ(team.nodes()[nearest].id, memory.id) << name;
          continue;
        }
        for (const std::size_t node : all)
          EXPECT_LE(latency(nearest), latency(node)) << name << " " << memory.id.value;
      }
    }
  }
}

}  // namespace
}  // namespace Atoll
