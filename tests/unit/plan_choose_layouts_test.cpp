// Decisions of both policies on small machines with round figures, where the best choice is
// obvious.
#include "atoll/plan/choose_layouts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atoll/base/error.hpp"
#include "plan_machines.hpp"

namespace Atoll {
namespace {

using test::choice_of;
using test::machine_of;
using test::pagerank;
using test::pattern_with;
using ::testing::HasSubstr;

const std::vector kTwoNodes{NodeId{0}, NodeId{1}};
const std::vector kEightParts{NodeId{0}, NodeId{0}, NodeId{0}, NodeId{0},
                              NodeId{1}, NodeId{1}, NodeId{1}, NodeId{1}};

ArrayRequest reads(std::string name, std::uint64_t elements, Order order, double per_element) {
  const double count = per_element * static_cast<double>(elements);
  return {.name = std::move(name),
          .elements = elements,
          .element_bytes = 8,
          .pattern = pattern_with({{false, order, count}}),
          .filled_from_elsewhere = true};
}

ArrayRequest writes(std::string name, std::uint64_t elements, Order order, double per_element) {
  ArrayRequest request = reads(std::move(name), elements, order, per_element);
  request.pattern.accesses.front().write = true;
  request.filled_from_elsewhere = false;
  return request;
}

std::vector<Choice> choose(const std::vector<ArrayRequest>& requests, const Machine& machine,
                           ChoiceOptions options) {
  return choose_layouts(requests, machine, compact_places(machine), options);
}

TEST(ChooseLayouts, UnusedAndEmptyArraysTakeNoMemory) {
  const Machine machine = machine_of({});
  ArrayRequest unused = reads("unused", std::uint64_t{1} << 62, Order::own, 1);
  unused.pattern.accesses.clear();
  const std::vector requests{unused, reads("used", 10, Order::own, 1),
                             reads("empty", 0, Order::own, 1)};
  for (const LayoutPolicy policy : {LayoutPolicy::shoal, LayoutPolicy::cost}) {
    const auto choices = choose(requests, machine, {.policy = policy});
    ASSERT_EQ(choices.size(), 3U);
    EXPECT_FALSE(choices[0].allocated);
    EXPECT_EQ(choices[0].why, "unused: takes no memory");
    EXPECT_TRUE(choices[1].allocated);
    EXPECT_EQ(choices[1].bytes, 80U);
    EXPECT_FALSE(choices[2].allocated);
    EXPECT_EQ(choices[2].why, "empty: takes no memory");
    EXPECT_EQ(choices[2].name, "empty");
  }
  EXPECT_TRUE(choose({}, machine, {}).empty());
}

TEST(ChooseLayouts, WhatCannotFitAtAllIsAnErrorWithFigures) {
  const Machine machine = machine_of({.free_bytes = 3 * kGiB});
  const std::vector requests{reads("a", kGiB / 2, Order::random, 1),
                             reads("b", kGiB / 2, Order::random, 1)};
  for (const LayoutPolicy policy : {LayoutPolicy::shoal, LayoutPolicy::cost}) {
    try {
      static_cast<void>(choose(requests, machine, {.policy = policy}));
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::memory);
      EXPECT_STREQ(error.what(),
                   "choosing layouts: the arrays need 8 GiB, all memories of sockets have 6 GiB "
                   "free; use a smaller input or a larger machine");
    }
    EXPECT_THROW(static_cast<void>(choose({reads("a", UINT64_MAX / 4, Order::own, 1)}, machine,
                                          {.policy = policy})),
                 Error);
  }
}

TEST(ChooseLayouts, NodesNeedNotBeNumberedFromZero) {
  const std::vector requests{reads("lookup", 1 << 26, Order::random, 20),
                             writes("next", 1 << 26, Order::own, 20),
                             writes("ranks", 1 << 26, Order::random, 20)};
  const auto from = [&](std::uint32_t first, LayoutPolicy policy) {
    auto choices = choose(requests, machine_of({.first_node = first}), {.policy = policy});
    for (Choice& choice : choices) {
      std::visit(
          [&](auto& layout) {
            if constexpr (requires { layout.nodes; })
              for (NodeId& node : layout.nodes) node.value -= first;
          },
          choice.layout.where);
    }
    return choices;
  };
  for (const LayoutPolicy policy : {LayoutPolicy::shoal, LayoutPolicy::cost}) {
    const auto expected = from(0, policy), actual = from(5, policy);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(actual[i].layout, expected[i].layout);
      EXPECT_EQ(actual[i].estimated_seconds, expected[i].estimated_seconds);
    }
  }
  const Machine machine = machine_of({.first_node = 5});
  EXPECT_EQ(machine.link(NodeId{5}, NodeId{6}).latency_ns.value, 160);
  for (const std::uint32_t other : {0U, 4U, 7U}) {
    EXPECT_THROW(static_cast<void>(machine.link(NodeId{other}, NodeId{5})), Error);
    EXPECT_THROW(static_cast<void>(machine.link(NodeId{5}, NodeId{other})), Error);
    EXPECT_THROW(static_cast<void>(machine.order(NodeId{other}, Ordering::latency)), Error);
  }
}

TEST(ChooseLayouts, ForcedCopiesThatCannotBeAreAnErrorOfCost) {
  const Machine machine = machine_of({.free_bytes = kGiB});
  const std::vector requests{reads("a", kGiB / 8 + 1, Order::random, 1)};  // 8 bytes more than
                                                                           // available
  EXPECT_EQ(choose(requests, machine, {}).size(), 1U);
  try {
    static_cast<void>(choose(requests, machine, {.force = LayoutKind::replicated}));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::memory);
    EXPECT_THAT(error.what(), HasSubstr("arrays of 1 GiB do not fit"));
    EXPECT_THAT(error.what(), HasSubstr("leave the layout to the policy"));
  }
  const auto shoal =
      choose(requests, machine, {.policy = LayoutPolicy::shoal, .force = LayoutKind::replicated});
  EXPECT_EQ(shoal[0].why, "node 0 has no room for a copy: distributed");
}

TEST(ChooseLayouts, ForcedKindsAndPages) {
  const Machine machine = machine_of({});
  const std::vector requests{reads("lookup", 1 << 26, Order::random, 10),
                             writes("result", 1 << 26, Order::random, 1)};
  for (const LayoutPolicy policy : {LayoutPolicy::shoal, LayoutPolicy::cost}) {
    const auto forced = [&](LayoutKind kind) {
      return choose(requests, machine, {.policy = policy, .force = kind, .pages = PageSize::small});
    };
    for (const LayoutKind kind :
         {LayoutKind::single, LayoutKind::distributed, LayoutKind::partitioned}) {
      for (const Choice& choice : forced(kind)) {
        EXPECT_EQ(choice.layout.where.index(), static_cast<std::size_t>(kind) - 1);
        EXPECT_EQ(choice.layout.pages, PageSize::small);
        EXPECT_EQ(choice.why, "as asked: " + std::string(to_string(kind)));
      }
    }
    const auto copies = forced(LayoutKind::replicated);
    EXPECT_TRUE(std::holds_alternative<Replicated>(copies[0].layout.where));
    EXPECT_EQ(copies[0].bytes, requests[0].bytes() * copies[0].layout.copies());
    EXPECT_EQ(copies[0].why, "as asked: replicated");
    EXPECT_EQ(copies[1].layout, (Layout{Distributed{kTwoNodes, 4096}, PageSize::small}));
  }
}

TEST(ChooseLayouts, HugePagesWhereEachNodesPartHasEnoughOfThem) {
  const Machine machine = machine_of({});
  const auto pages = [&](std::uint64_t bytes) {
    const auto choices =
        choose({writes("a", bytes / 8, Order::own, 1)}, machine, {.policy = LayoutPolicy::shoal});
    EXPECT_EQ(choices[0].layout.where, (Layout{Partitioned{kEightParts}}.where));
    return choices[0].layout.pages;
  };
  EXPECT_EQ(pages(16 * kMiB), PageSize::huge);
  EXPECT_EQ(pages(16 * kMiB - 8), PageSize::small);
}

TEST(PolicyShoal, IsFigureTwo) {
  const Machine machine = machine_of({});
  const auto choices =
      choose({writes("indexed, written", 1 << 26, Order::own, 1),
              reads("indexed, read", 1 << 26, Order::own, 1),
              reads("read", 1 << 26, Order::near, 1), writes("written", 1 << 26, Order::stream, 1)},
             machine, {.policy = LayoutPolicy::shoal});
  EXPECT_EQ(choices[0].layout, (Layout{Partitioned{kEightParts}, PageSize::huge}));
  EXPECT_EQ(choices[0].why, "indexed: partitioned");
  EXPECT_EQ(choices[1].layout, (Layout{Partitioned{kEightParts}, PageSize::huge}));
  EXPECT_EQ(choices[2].layout, (Layout{Replicated{kTwoNodes}, PageSize::huge}));
  EXPECT_EQ(choices[2].bytes, std::uint64_t{2} << 29);
  EXPECT_EQ(choices[2].why, "read-only and fits all nodes (2): replicated");
  EXPECT_EQ(choices[3].layout, (Layout{Distributed{kTwoNodes, 2 << 20}, PageSize::huge}));
  EXPECT_EQ(choices[3].why, "written and not indexed: distributed");
  for (const Choice& choice : choices) EXPECT_EQ(choice.estimated_seconds, 0);
}

TEST(PolicyShoal, CopiesInOrderWhileTheyFit) {
  // Each node has 1 GiB. Copies of 512 MiB fit, then 768 MiB don't, 512 MiB just fit, and nothing
  // is left.
  const Machine machine = machine_of({.free_bytes = kGiB});
  const auto choices =
      choose({reads("a", 64 * kMiB, Order::random, 1), reads("b", 96 * kMiB, Order::random, 1),
              reads("c", 64 * kMiB, Order::random, 1), reads("d", 1, Order::random, 1)},
             machine, {.policy = LayoutPolicy::shoal});
  EXPECT_EQ(choices[0].layout.copies(), 2U);
  EXPECT_EQ(choices[1].layout.copies(), 1U);
  EXPECT_EQ(choices[1].why, "node 0 has no room for a copy: distributed");
  EXPECT_EQ(choices[2].layout.copies(), 2U);
  EXPECT_EQ(choices[3].layout.copies(), 1U);
}

TEST(PolicyShoal, OnlyNodesWithThreadsCount) {
  const Machine machine = machine_of({.sockets = 4});
  const std::vector units{4, 5, 12};  // on nodes 1 and 3
  const std::vector requests{reads("read", 1 << 26, Order::random, 1),
                             writes("own", 1 << 26, Order::own, 1)};
  const auto choices = choose_layouts(requests, machine, listed_places(machine, units),
                                      {.policy = LayoutPolicy::shoal});
  EXPECT_EQ(choices[0].layout.where, (Layout{Replicated{{NodeId{1}, NodeId{3}}}}.where));
  EXPECT_EQ(choices[1].layout.where,
            (Layout{Partitioned{{NodeId{1}, NodeId{1}, NodeId{3}}}}.where));
}

TEST(PolicyCost, CopiesPayWhenReadOftenEnough) {
  const Machine machine = machine_of({});
  const auto chosen = [&](double reads_per_element) {
    return choose({reads("a", 1 << 26, Order::random, reads_per_element)}, machine, {})[0];
  };
  EXPECT_EQ(chosen(0.01).layout.copies(), 1U);
  const Choice often = chosen(20);
  EXPECT_EQ(often.layout, (Layout{Replicated{kTwoNodes}, PageSize::huge}));
  EXPECT_THAT(often.why,
              HasSubstr("read-only, 1.34 G random reads: a copy on each of 2 nodes saves"));
}

TEST(PolicyCost, WhatIsReachedByIndexIsPartitioned) {
  const Machine machine = machine_of({});
  const auto choices =
      choose({writes("next", 1 << 26, Order::own, 20), reads("begin", 1 << 26, Order::near, 20)},
             machine, {});
  for (const Choice& choice : choices)
    EXPECT_EQ(choice.layout, (Layout{Partitioned{kEightParts}, PageSize::huge}));
  EXPECT_THAT(choices[0].why,
              HasSubstr("written, 1.34 G own writes: a part beside each thread saves"));
}

TEST(PolicyCost, WhatIsWrittenAnywhereIsDistributed) {
  const Machine machine = machine_of({});
  const auto choices = choose({writes("ranks", 1 << 26, Order::random, 20)}, machine, {});
  EXPECT_EQ(choices[0].layout, (Layout{Distributed{kTwoNodes, 2 << 20}, PageSize::huge}));
  EXPECT_THAT(choices[0].why,
              HasSubstr("written, 1.34 G random writes: spread over 2 nodes saves"));
}

TEST(PolicyCost, OneNodeWithThreadsKeepsItAll) {
  const Machine machine = machine_of({.local_bandwidth = 100e9, .remote_bandwidth = 50e9});
  const std::vector units{4, 5};
  const std::vector requests{reads("lookup", 1 << 26, Order::random, 20),
                             writes("own", 1 << 26, Order::own, 20)};
  for (const Choice& choice : choose_layouts(requests, machine, listed_places(machine, units), {}))
    EXPECT_EQ(choice.layout.where, (Layout{SingleNode{NodeId{1}}}.where)) << choice.why;
}

TEST(PolicyCost, ArraysInTheCacheNeedNoCopies) {
  const std::vector requests{reads("lookup", 1 << 17, Order::random, 1000)};
  const auto copies = [&](std::uint64_t cache) {
    const Machine machine = machine_of({.l3_bytes = cache});
    return choose(requests, machine, {})[0];
  };
  EXPECT_EQ(copies(0).layout.copies(), 2U);
  EXPECT_EQ(copies(4 << 20).layout.copies(), 1U);
  EXPECT_THAT(copies(4 << 20).why, ::testing::StartsWith("cached, 131 M random reads: "));
}

TEST(PolicyCost, MemoryShortTheGreatestGainPerByteIsCopied) {
  // A copy of `large` gains most, but copies of the two others gain more per byte. Memory suffices
  // for either choice, not for all copies.
  const std::vector requests{reads("large", 96 * kMiB, Order::random, 20),
                             reads("first", 48 * kMiB, Order::random, 35),
                             reads("second", 48 * kMiB, Order::random, 35)};
  const auto chosen = [&](std::uint64_t free) {
    return choose(requests, machine_of({.free_bytes = free}), {});
  };
  const auto copies = [&](std::uint64_t free) {
    const auto choices = chosen(free);
    return std::vector{choices[0].layout.copies(), choices[1].layout.copies(),
                       choices[2].layout.copies()};
  };
  EXPECT_EQ(copies(2 * kGiB), (std::vector<std::size_t>{2, 2, 2}));
  EXPECT_EQ(copies(1200 * kMiB), (std::vector<std::size_t>{1, 2, 2}));
  EXPECT_EQ(copies(800 * kMiB), (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_THAT(chosen(1200 * kMiB)[0].why,
              HasSubstr("read-only, 2.01 G random reads: no room: replicated saves"));
}

TEST(PolicyCost, SaysWhatSavesHowMuch) {
  // Eight threads. A read takes 1 ns + latency / 8: 11 ns locally, 16 ns on average over all nodes.
  // Copies take time to set up.
  const Machine machine = machine_of({.local_bandwidth = 1e12, .remote_bandwidth = 1e12});
  const auto forced = [&](LayoutKind kind) {
    return choose({reads("a", 1 << 26, Order::random, 100)}, machine, {.force = kind})[0];
  };
  const Choice copies = choose({reads("a", 1 << 26, Order::random, 100)}, machine, {})[0];
  EXPECT_EQ(copies.layout, forced(LayoutKind::replicated).layout);
  EXPECT_EQ(copies.estimated_seconds, forced(LayoutKind::replicated).estimated_seconds);
  EXPECT_NEAR(copies.estimated_seconds, 100.0 * (1 << 26) / 8 * 11e-9, 0.2);
  const double saved = forced(LayoutKind::distributed).estimated_seconds - copies.estimated_seconds;
  EXPECT_NEAR(saved, 100.0 * (1 << 26) / 8 * 5e-9, 0.2);
  EXPECT_EQ(copies.why, "read-only, 6.71 G random reads: a copy on each of 2 nodes saves " +
                            format_seconds(saved));
}

TEST(PolicyCost, GreatPagesForRandomGathersOverLargeArraysAlone) {
  const Machine machine =
      machine_of({.sockets = 1, .free_2m_pages = 4096, .free_1g_pages = 24, .tlb_entries = 24});
  const std::vector requests{reads("large", 1 << 30, Order::random, 20),
                             reads("streamed", 1 << 27, Order::stream, 20),
                             reads("small", 1 << 20, Order::random, 20)};
  const auto choices = choose(requests, machine, {});
  EXPECT_EQ(choices[0].layout.pages, PageSize::pool_1g) << choices[0].why;
  EXPECT_THAT(choices[0].why, HasSubstr("in 1 GiB pages saves"));
  EXPECT_FALSE(from_pool(choices[1].layout.pages)) << choices[1].why;
  EXPECT_NE(choices[2].layout.pages, PageSize::pool_1g) << choices[2].why;
}

TEST(PolicyCost, APoolIsRoomOfItsOwn) {
  const auto sockets = [](std::uint64_t pool) {
    return machine_of({.sockets = 1, .free_bytes = 1 << 30, .free_2m_pages = pool});
  };
  const std::vector requests{reads("a", 100 << 20, Order::stream, 2),
                             reads("b", 100 << 20, Order::stream, 2)};
  EXPECT_THROW(static_cast<void>(choose(requests, sockets(0), {})), Error);
  EXPECT_THROW(static_cast<void>(choose(requests, sockets(399), {})), Error);
  const auto choices = choose(requests, sockets(400), {});
  EXPECT_NE(from_pool(choices[0].layout.pages), from_pool(choices[1].layout.pages));
}

TEST(EstimateLayouts, PricesWhatSomebodyElseChose) {
  const Machine machine = machine_of({});
  ArrayRequest unused = reads("unused", 1'000, Order::own, 1);
  unused.pattern.accesses.clear();
  const std::vector requests{reads("gathered", 1 << 26, Order::random, 20), unused,
                             writes("own", 1 << 26, Order::own, 20)};
  const auto choices = choose(requests, machine, {});
  std::vector<Layout> layouts;
  for (const Choice& choice : choices) layouts.push_back(choice.layout);
  const auto chosen = estimate_layouts(requests, layouts, machine, compact_places(machine));
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[0], choices[0].estimated_seconds);
  EXPECT_EQ(chosen[1], 0);
  EXPECT_EQ(chosen[2], choices[2].estimated_seconds);
  // Compares with a program whose main thread touches all arrays first.
  layouts.assign(3, Layout{SingleNode{NodeId{0}}, PageSize::small});
  const auto touched = estimate_layouts(requests, layouts, machine, compact_places(machine));
  EXPECT_GT(touched[0], 1.5 * chosen[0]);
  EXPECT_GT(touched[2], 1.5 * chosen[2]);
}

}  // namespace
}  // namespace Atoll
