// Candidate layouts, compared with handwritten lists for machines of each kind.
#include "plan/candidates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan_machines.hpp"

namespace Atoll::detail {
namespace {

using test::machine_of;
using test::pattern_with;
using ::testing::UnorderedElementsAre;

std::vector<std::string> candidates(const Machine& machine, const ThreadPlaces& team, bool write,
                                    std::uint64_t bytes = 1 << 30,
                                    LayoutKind force = LayoutKind::automatic,
                                    bool by_free = false) {
  const ArrayRequest request{
      .name = "a", .elements = bytes / 8, .pattern = pattern_with({{write, Order::random, 1}})};
  std::vector<std::string> texts;
  for (const Layout& layout : Candidates(machine, team).of(request, force, {}, by_free)) {
    const std::string text = to_string(layout);
    texts.push_back(text.substr(0, text.find(',', text.rfind(" pages") - 8)));
  }
  return texts;
}

TEST(Candidates, OfFourSockets) {
  const Machine machine = machine_of({.sockets = 4});
  const ThreadPlaces team = spread_places(machine, 8);
  EXPECT_THAT(candidates(machine, team, true),
              UnorderedElementsAre("on node 0", "on node 1", "on node 2", "on node 3",
                                   "distributed over 0-3 by 2 MiB", "partitioned over 0-3x2"));
  EXPECT_THAT(candidates(machine, team, false),
              UnorderedElementsAre("on node 0", "on node 1", "on node 2", "on node 3",
                                   "distributed over 0-3 by 2 MiB", "partitioned over 0-3x2",
                                   "replicated on 0-3", "replicated on 0,2"));
}

TEST(Candidates, SomeNodesHaveThreads) {
  const Machine machine = machine_of({.sockets = 4});
  const ThreadPlaces team = listed_places(machine, std::vector{4, 5, 12});
  EXPECT_THAT(candidates(machine, team, false),
              UnorderedElementsAre("on node 1", "on node 3", "distributed over 1,3 by 2 MiB",
                                   "distributed over 0-3 by 2 MiB", "partitioned over 1x2,3",
                                   "replicated on 1,3"));
}

TEST(Candidates, SinglesAreTheNodesWithMostThreads) {
  const Machine machine = machine_of({.sockets = 10, .cores = 2});
  const std::vector units{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 19};  // node 9 has two threads
  const auto all = candidates(machine, listed_places(machine, units), true);
  EXPECT_EQ(std::ranges::count_if(all, [](const auto& c) { return c.starts_with("on node"); }), 8);
  EXPECT_THAT(all, ::testing::Contains("on node 9"));
  EXPECT_THAT(all, ::testing::Not(::testing::Contains("on node 8")));
}

TEST(Candidates, OfTwoTiers) {
  const Machine machine = Machine::open("hbm-2s");
  const ThreadPlaces team = spread_places(machine, 4);
  EXPECT_THAT(
      candidates(machine, team, false),
      UnorderedElementsAre("on node 0", "on node 1", "on node 2", "on node 3",
                           "distributed over 0-1 by 2 MiB", "distributed over 2-3 by 2 MiB",
                           "distributed over 0-1,2-3x2 by 2 MiB", "partitioned over 0-1x2",
                           "partitioned over 2-3x2", "replicated on 0-1", "replicated on 2-3"));
  // A copy exceeds the 64 GiB of HBM per node.
  EXPECT_THAT(candidates(machine, team, false, 65 * kGiB),
              ::testing::Contains("replicated on 0-1"));
  EXPECT_THAT(candidates(machine, team, false, 65 * kGiB),
              ::testing::Not(::testing::Contains("replicated on 2-3")));
}

TEST(Candidates, OneKindIfForced) {
  const Machine machine = machine_of({.sockets = 1});
  const ThreadPlaces team = spread_places(machine, 2);
  const auto forced = [&](LayoutKind kind, bool write) {
    return candidates(machine, team, write, 1 << 30, kind);
  };
  EXPECT_THAT(forced(LayoutKind::single, false), UnorderedElementsAre("on node 0"));
  EXPECT_THAT(forced(LayoutKind::distributed, false),
              UnorderedElementsAre("distributed over 0 by 2 MiB"));
  EXPECT_THAT(forced(LayoutKind::partitioned, false), UnorderedElementsAre("partitioned over 0x2"));
  EXPECT_THAT(forced(LayoutKind::replicated, false), UnorderedElementsAre("replicated on 0"));
  EXPECT_THAT(forced(LayoutKind::replicated, true),
              UnorderedElementsAre("distributed over 0 by 2 MiB"));
}

TEST(Candidates, ByFreeMemory) {
  const Machine knl = Machine::open("knl-7210");  // 96 GiB of DRAM and 16 GiB of HBM
  const ThreadPlaces team = spread_places(knl);
  EXPECT_THAT(candidates(knl, team, true, 1 << 30, LayoutKind::distributed, true),
              ::testing::Contains("distributed over 0x6,1 by 2 MiB"));
}

TEST(Candidates, PagesByThePieces) {
  const auto pages = [](const Layout& layout) { return layout.pages; };
  const std::vector two{NodeId{0}, NodeId{1}};
  EXPECT_EQ(pages(distributed(two, 16 * kMiB, {})), PageSize::huge);
  EXPECT_EQ(pages(distributed(two, 16 * kMiB - 1, {})), PageSize::small);
  EXPECT_EQ(pages(replicated(two, 8 * kMiB, {})), PageSize::huge);
  EXPECT_EQ(pages(single(NodeId{0}, 8 * kMiB - 1, {})), PageSize::small);
  EXPECT_EQ(pages(partitioned({NodeId{0}, NodeId{0}, NodeId{0}, NodeId{1}}, 16 * kMiB, {})),
            PageSize::huge);
  EXPECT_EQ(distributed(two, 1, PageSize::huge),
            (Layout{Distributed{two, 2 * kMiB}, PageSize::huge}));
}

}  // namespace
}  // namespace Atoll::detail
