// Blocks on the fake system: the node of every page, the thread that placed it, full nodes, and
// cleanup after a failed placement.
#include "atoll/memory/block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "fake_backend.hpp"

namespace Atoll::memory {
namespace {

constexpr std::size_t kPage = kPageBytes;
constexpr std::size_t kHuge = page_bytes(PageSize::huge);
constexpr NodeId n0{0}, n1{1}, n2{2}, n3{3};

ThreadPlaces two_on_each() {
  return {{0, n0}, {1, n0}, {2, n1}, {3, n1}};
}

class MemoryBlock : public testing::Test {
 protected:
  static constexpr std::uint64_t kNodePages = 8192;  // 32 MiB

  ~MemoryBlock() override {
    EXPECT_FALSE(fake_.killed());
    EXPECT_EQ(fake_.pages_mapped(), 0U);
    EXPECT_EQ(fake_.reservations(), 0U);
  }

  /// Allocates until the node has this number of free pages.
  void leave_free(NodeId node, std::uint64_t pages) {
    fake_.others_take(node, static_cast<std::int64_t>(fake_.free_pages(node) - pages));
  }

  /// Returns the error's text; empty if the block is created.
  std::string failure(std::size_t bytes, const Placement& placement, WhenFull when_full,
                      Error::Kind kind = Error::Kind::memory, PageSize pages = PageSize::small) {
    try {
      const Block block(context_, bytes, placement, pages, when_full);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    return "";
  }

  const Machine machine_ = four_node_machine();
  const Team team_{two_on_each(), Team::Runtime::std_threads, false};
  FakeBackend fake_{four_nodes(kNodePages)};
  const Context context_{machine_, team_, fake_};
};

using PagesByNode = std::map<NodeId, std::uint64_t>;

TEST_F(MemoryBlock, EveryPlacementPageByPage) {
  const std::size_t bytes = 3 * kHuge + 5 * kPage + 17;
  const std::vector<Placement> placements{
      OnNode{n0},
      OnNode{n3},
      Interleaved{{n0, n1, n2, n3}, kHuge},
      Interleaved{{n3, n1, n3}, 2 * kHuge},
      Runs{{{kHuge + 1, n1}, {kHuge, n2}, {bytes - 2 * kHuge - 1, n0}}},
      Ordered{{n2, n0}},
  };
  for (const Placement& placement : placements)
    for (const PageSize pages : {PageSize::small, PageSize::huge}) {
      const Block block(context_, bytes, placement, pages);
      EXPECT_EQ(block.bytes(), bytes);
      EXPECT_EQ(block.where().size(), 3 * 512 + 6U);
      EXPECT_EQ(block.where(), block.wished());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % page_bytes(pages), 0U);
    }
  for (const std::uint64_t granule : {kPage, 3 * kPage, 700 * kPage}) {
    const Block block(context_, bytes, Interleaved{{n2, n0, n1}, granule}, PageSize::small);
    const auto where = block.where();
    for (std::size_t page = 0; page < where.size(); ++page)
      ASSERT_EQ(where[page], (std::array{n2, n0, n1}[page * kPage / granule % 3])) << page;
  }
  EXPECT_EQ(fake_.settled_nodes(), (std::set{n0, n1, n2}));
}

TEST_F(MemoryBlock, ThreadsOfTheRightNodesPopulateInParallel) {
  const Block block(context_, 16 * kHuge, Interleaved{{n0, n1, n2, n3}, kPage}, PageSize::small);
  std::map<NodeId, std::set<int>> threads;
  std::map<NodeId, std::uint64_t> bytes;
  for (const auto& call : fake_.populates()) {
    EXPECT_EQ(call.threads_node, call.node == n2 ? n0 : call.node == n3 ? n1 : call.node);
    threads[call.node].insert(call.thread);
    bytes[call.node] += call.bytes;
  }
  const std::map<NodeId, std::set<int>> both{
      {n0, {0, 1}}, {n1, {2, 3}}, {n2, {0, 1}}, {n3, {2, 3}}};
  EXPECT_EQ(threads, both);
  for (const NodeId node : {n0, n1, n2, n3}) EXPECT_EQ(bytes[node], 4 * kHuge);
}

TEST_F(MemoryBlock, ANodeWithoutThreadsOfTheTeamIsServedByTheNearestThatHasSome) {
  const Team one({{3, n1}}, Team::Runtime::std_threads, false);
  const Context context{machine_, one, fake_};
  const Block block(context, 3 * kHuge, Interleaved{{n0, n1, n2}, kHuge}, PageSize::huge);
  EXPECT_EQ(block.where(), block.wished());
  for (const auto& call : fake_.populates()) EXPECT_EQ(call.threads_node, n1);
}

TEST_F(MemoryBlock, SpillsByTheMachinesLatencyNotTheKernelsDistance) {
  leave_free(n0, 1000);
  leave_free(n2, 700);
  {
    const Block block(context_, 2000 * kPage, OnNode{n0}, PageSize::small);
    // by latency from node 0, the next nodes are 2, then 1
    EXPECT_EQ(pages_by_node(block.where()), (PagesByNode{{n0, 1000}, {n2, 700}, {n1, 300}}));
    EXPECT_EQ(pages_by_node(block.wished()), (PagesByNode{{n0, 2000}}));
  }
  // the nearest initiator of node 3 is node 1, whose order is 1, 0, 2, 3
  leave_free(n3, 512);
  const Block block(context_, 1024 * kPage, OnNode{n3}, PageSize::small);
  EXPECT_EQ(pages_by_node(block.where()), (PagesByNode{{n3, 512}, {n1, 512}}));
}

TEST_F(MemoryBlock, SpillingOneNodeLeavesTheOthersPagesInPlace) {
  leave_free(n1, 600);
  const Block block(context_, 4096 * kPage, Interleaved{{n0, n1, n3}, kPage}, PageSize::small);
  const auto where = block.where(), wished = block.wished();
  std::uint64_t moved = 0;
  for (std::size_t page = 0; page < where.size(); ++page) {
    if (where[page] == wished[page]) continue;
    ASSERT_EQ(wished[page], n1) << page;
    ASSERT_EQ(where[page], n0) << page;  // the next node after 1 by latency
    ++moved;
  }
  EXPECT_EQ(moved, 1365 - 600U);
}

TEST_F(MemoryBlock, FillsInOrderToTheLastPage) {
  leave_free(n2, 3000);
  leave_free(n0, 5001);
  leave_free(n3, 700);
  const Block block(context_, 9000 * kPage, Ordered{{n2, n0, n3, n1}}, PageSize::small);
  std::vector<NodeId> expected;
  expected.insert(expected.end(), 3000, n2);
  expected.insert(expected.end(), 5001, n0);
  expected.insert(expected.end(), 700, n3);
  expected.insert(expected.end(), 9000 - 8701, n1);
  EXPECT_EQ(block.where(), expected);
}

TEST_F(MemoryBlock, AnOrderThatIsUsedUpGoesOnWithTheNearestOrIsRefused) {
  leave_free(n3, 700);
  leave_free(n2, 100);
  EXPECT_NE(failure(1000 * kPage, Ordered{{n3, n2}}, WhenFull::refuse).find("is full"),
            std::string::npos);
  EXPECT_EQ(fake_.pages_mapped(), 0U);
  const Block block(context_, 1000 * kPage, Ordered{{n3, n2}}, PageSize::small);
  // after node 2, the order of its nearest initiator applies: node 0, by latency first node 0
  // itself
  EXPECT_EQ(pages_by_node(block.where()), (PagesByNode{{n3, 700}, {n2, 100}, {n0, 200}}));
}

TEST_F(MemoryBlock, AHugePageIsAllHereOrAllThere) {
  leave_free(n0, 512 * 3 + 100);
  for (const Placement& placement :
       {Placement{OnNode{n0}}, Placement{Ordered{{n0, n2}}}, Placement{Runs{{{5 * kHuge, n0}}}}}) {
    const Block block(context_, 5 * kHuge, placement, PageSize::huge);
    const auto where = block.where();
    for (std::size_t page = 0; page < where.size(); ++page)
      ASSERT_EQ(where[page], where[page / 512 * 512]);
    EXPECT_EQ(pages_by_node(where), (PagesByNode{{n0, 3 * 512}, {n2, 2 * 512}}));
  }
}

TEST_F(MemoryBlock, RefusesAndLeavesNothingBehind) {
  leave_free(n1, 600);
  for (const Placement& placement :
       {Placement{OnNode{n1}}, Placement{Interleaved{{n0, n1}, kPage}},
        Placement{Runs{{{100 * kPage, n0}, {1900 * kPage, n1}}}}, Placement{Ordered{{n1}}}}) {
    const std::string text = failure(2000 * kPage, placement, WhenFull::refuse);
    EXPECT_NE(text.find("node 1 is full"), std::string::npos) << text;
    EXPECT_EQ(fake_.pages_mapped(), 0U);
    EXPECT_EQ(fake_.reservations(), 0U);
  }
  const Block fits(context_, 600 * kPage, OnNode{n1}, PageSize::small, WhenFull::refuse);
  EXPECT_EQ(pages_by_node(fits.where()), (PagesByNode{{n1, 600}}));
}

TEST_F(MemoryBlock, TakesFileCacheOfTheNodeBackBeforeItSpills) {
  auto nodes = four_nodes(kNodePages);
  nodes[n1].cache_pages = kNodePages - 100;  // the rest of node 1 is other processes' file cache
  FakeBackend fake(nodes);
  const Context context{machine_, team_, fake};
  for (const Placement& placement :
       {Placement{OnNode{n1}}, Placement{Ordered{{n1, n0}}}, Placement{Interleaved{{n1}, kPage}}}) {
    const Block block(context, 2000 * kPage, placement, PageSize::small, WhenFull::refuse);
    EXPECT_EQ(pages_by_node(block.where()), (PagesByNode{{n1, 2000}}));
  }
}

TEST_F(MemoryBlock, AsksForNothingThatIsNotThere) {
  const std::size_t all = 4 * kNodePages * kPage;
  for (const std::size_t bytes : {all + 1, all, 2 * all, SIZE_MAX / 2, SIZE_MAX - 5000, SIZE_MAX})
    for (const Placement& placement :
         {Placement{OnNode{n0}}, Placement{Interleaved{{n0, n1}, kHuge}}, Placement{Ordered{{n0}}}})
      for (const PageSize pages : {PageSize::small, PageSize::huge}) {
        const std::string text =
            failure(bytes, placement, WhenFull::spill, Error::Kind::memory, pages);
        EXPECT_NE(text.find("this machine has only 128 MiB available"), std::string::npos) << text;
      }
  fake_.cgroup_bytes = 40 * kHuge;
  EXPECT_NE(failure(40 * kHuge, OnNode{n0}, WhenFull::spill).find("the cgroup has only"),
            std::string::npos);
  EXPECT_TRUE(fake_.populates().empty());
  const Block most(context_, 39 * kHuge, OnNode{n0}, PageSize::huge);
  EXPECT_EQ(most.where().size(), 39 * 512U);
}

TEST_F(MemoryBlock, ThrowsOnTheWayWhenOthersTakeTheMemory) {
  const std::size_t bytes = 3 * kNodePages * kPage;
  for (const Placement& placement :
       {Placement{OnNode{n1}}, Placement{Interleaved{{n0, n1, n2, n3}, kPage}},
        Placement{Ordered{{n3, n1}}}}) {
    std::atomic<int> calls = 0;
    fake_.before_populate = [&](FakeBackend& fake) {
      const int call = ++calls;
      if (call == 5) fake.others_take(n0, kNodePages * 3 / 4);
      if (call == 9) fake.others_take(n2, kNodePages * 3 / 4);
    };
    const std::string text = failure(bytes, placement, WhenFull::spill);
    EXPECT_NE(text.find("as others took some meanwhile"), std::string::npos) << text;
    EXPECT_EQ(fake_.pages_mapped(), 0U);
    EXPECT_EQ(fake_.reservations(), 0U);
    fake_.others_take(n0, -std::int64_t{kNodePages} * 3 / 4);
    fake_.others_take(n2, -std::int64_t{kNodePages} * 3 / 4);
  }
}

TEST_F(MemoryBlock, ABackendsFailureIsPassedOnAndNothingIsLeft) {
  std::atomic<int> calls = 0;
  fake_.before_populate = [&](FakeBackend&) {
    if (++calls == 7) throw Error::failed("memory", "broken");
  };
  EXPECT_EQ(failure(20 * kHuge, OnNode{n0}, WhenFull::spill, Error::Kind::failed),
            "memory: broken");
}

TEST_F(MemoryBlock, FillsFromReservesWhenEveryNodeIsFull) {
  // available() subtracts a reserve on each node, and the team's machine lacks one node
  fake_.reserve_pages_by_node = 100;
  leave_free(n0, 300);
  leave_free(n1, 300);
  leave_free(n2, 300);
  leave_free(n3, 1124);
  const Block block(context_, 1500 * kPage, Interleaved{{n0, n1, n2}, kPage}, PageSize::small);
  EXPECT_EQ(block.where().size(), 1500U);
  EXPECT_EQ(pages_by_node(block.where()).count(kNowhere), 0U);
}

TEST_F(MemoryBlock, NodesThatTheSystemLacksAreSpilledFrom) {
  auto nodes = four_nodes(kNodePages);
  nodes.erase(n3);  // as if a cpuset excluded node 3
  for (auto& [id, node] : nodes) std::erase(node.next, n3);
  FakeBackend fake(nodes);
  const Context context{machine_, team_, fake};
  const Block block(context, 100 * kPage, Interleaved{{n0, n3}, kPage}, PageSize::small);
  EXPECT_EQ(pages_by_node(block.where()), (PagesByNode{{n0, 50}, {n1, 50}}));
  EXPECT_THROW(Block(context, kPage, OnNode{n3}, PageSize::small, WhenFull::refuse), Error);
}

TEST_F(MemoryBlock, SeveralFillsAtOnceEndAndLoseNoPage) {
  constexpr std::size_t kFills = 3;
  const std::vector<std::vector<NodeId>> orders{{n2, n0, n3, n1}, {n1, n3, n0}, {n2, n1, n0, n3}};
  for (int round = 0; round < 20; ++round) {
    std::vector<Block> blocks(kFills);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kFills; ++i)
      threads.emplace_back([&, i] {
        const Team team(two_on_each(), Team::Runtime::std_threads, false);
        const Context context{machine_, team, fake_};
        blocks[i] = Block(context, 10000 * kPage + i, Ordered{orders[i]}, PageSize::small);
      });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < kFills; ++i) {
      const auto where = blocks[i].where();
      ASSERT_EQ(where.size(), 10000U + (i > 0));
      // Once a node is full, no later page is on it.
      std::size_t rank = 0;
      for (const NodeId node : where) {
        const auto found = std::find(orders[i].begin(), orders[i].end(), node) - orders[i].begin();
        ASSERT_GE(static_cast<std::size_t>(found), rank);
        rank = static_cast<std::size_t>(found);
      }
    }
    EXPECT_EQ(fake_.pages_mapped(), 30002U);
  }
}

TEST_F(MemoryBlock, FillsThatTogetherAreTooMuchEndWithoutAKill) {
  // Each of three concurrent fills may exceed the available memory by a few MiB
  // (memory/headroom.cpp). The system's reserves cover the excess.
  fake_.reserve_pages_by_node = 1024;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> placed = 0, refused = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        const Team team(two_on_each(), Team::Runtime::std_threads, false);
        const Context context{machine_, team, fake_};
        try {
          const Block block(context, 2 * kNodePages * kPage, OnNode{n0}, PageSize::small);
          EXPECT_EQ(pages_by_node(block.where()).count(kNowhere), 0U);
          ++placed;
        } catch (const Error&) {
          ++refused;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(placed + refused, 3);
    EXPECT_EQ(fake_.pages_mapped(), 0U);
  }
}

TEST_F(MemoryBlock, NoBytesTakeNoMemory) {
  const Block block(context_, 0, OnNode{n0}, PageSize::huge);
  EXPECT_EQ(block.data(), nullptr);
  EXPECT_EQ(block.bytes(), 0U);
  EXPECT_TRUE(block.where().empty());
  EXPECT_TRUE(block.wished().empty());
  EXPECT_EQ(fake_.reservations(), 0U);
  EXPECT_NE(failure(0, OnNode{NodeId{9}}, WhenFull::spill, Error::Kind::input), "");
}

TEST_F(MemoryBlock, MovesAndFrees) {
  Block a(context_, 10 * kPage, OnNode{n1}, PageSize::small);
  std::byte* const data = a.data();
  Block b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_TRUE(a.where().empty());
  Block c(context_, 5 * kPage, OnNode{n2}, PageSize::small);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(fake_.reservations(), 1U);
  EXPECT_EQ(fake_.pages_mapped(), 10U);
  EXPECT_EQ(pages_by_node(c.where()), (PagesByNode{{n1, 10}}));
}

TEST_F(MemoryBlock, PagesOfAPoolAreWhole) {
  const Block block(context_, 2 * kHuge + 1, Interleaved{{n0, n3}, kHuge}, PageSize::pool_2m);
  EXPECT_EQ(block.bytes(), 2 * kHuge + 1);
  ASSERT_EQ(block.where().size(), 3 * 512U);
  EXPECT_EQ(block.where(), block.wished());
  // a node with less than one free page gets none
  leave_free(n1, 511);
  const Block spilled(context_, kHuge, OnNode{n1}, PageSize::pool_2m);
  EXPECT_EQ(pages_by_node(spilled.where()), (PagesByNode{{n0, 512}}));
}

TEST_F(MemoryBlock, MovesFromAnyPlacementToAnyOther) {
  const std::size_t bytes = 3 * kHuge + 5 * kPage + 17;
  const std::vector<Placement> placements{
      OnNode{n3}, Interleaved{{n0, n1, n2, n3}, kHuge}, Interleaved{{n3, n1, n3}, 2 * kHuge},
      Runs{{{kHuge + 1, n1}, {kHuge, n2}, {bytes - 2 * kHuge - 1, n0}}}, OnNode{n0}};
  for (const PageSize pages : {PageSize::small, PageSize::huge, PageSize::pool_2m}) {
    Block block(context_, bytes, OnNode{n1}, pages);
    const std::byte* const data = block.data();
    for (const Placement& placement : placements) {
      EXPECT_EQ(block.move_to(context_, placement), 0U);
      EXPECT_EQ(block.data(), data);
      EXPECT_EQ(block.where(), block.wished());
      EXPECT_EQ(block.where(), Block(context_, bytes, placement, pages).wished());
    }
  }
}

TEST_F(MemoryBlock, MovesWhatThereIsRoomForAndTellsTheRest) {
  Block block(context_, 1000 * kPage, OnNode{n0}, PageSize::small);
  leave_free(n1, 300);
  EXPECT_EQ(block.move_to(context_, OnNode{n1}), 700U);
  EXPECT_EQ(pages_by_node(block.where()), (PagesByNode{{n0, 700}, {n1, 300}}));
  EXPECT_EQ(pages_by_node(block.wished()), (PagesByNode{{n1, 1000}}));
  fake_.others_take(n1, -8192);
}

TEST_F(MemoryBlock, TwoFullNodesExchangeTheirPages) {
  // all pages of the block must move to the other node, with room for only a few pages
  leave_free(n0, 400), leave_free(n1, 400);
  Block block(context_, 700 * kPage, Runs{{{350 * kPage, n0}, {350 * kPage, n1}}}, PageSize::small);
  EXPECT_EQ(fake_.free_pages(n0), 50U);
  EXPECT_EQ(block.move_to(context_, Runs{{{350 * kPage, n1}, {350 * kPage, n0}}}), 0U);
  EXPECT_EQ(block.where(), block.wished());
}

}  // namespace
}  // namespace Atoll::memory
