// Pages from the system's hugetlb pools, by node: their location, an empty pool, and the pools'
// sizes in the machine description. The tests `Giant` need a guest that reserves 1 GiB pages when
// it boots.
#include "atoll/array/array.hpp"
#include "atoll/base/error.hpp"
#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

using memory::Block;
using memory::Interleaved;
using memory::OnNode;
using memory::Ordered;
using memory::Runs;
using memory::WhenFull;

constexpr std::size_t kGiB = std::size_t{1} << 30;

std::string pool_file(NodeId node, const char* size, const char* name) {
  return "/sys/devices/system/node/node" + std::to_string(node.value) + "/hugepages/hugepages-" +
         size + "/" + name;
}

std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  EXPECT_TRUE(file >> number) << path;
  return number;
}

class Pools : public MemoryInGuest {
 protected:
  static constexpr std::uint64_t kPages = 10;  // number of 2 MiB pages on each node

  Pools() {
    for (const NodeId node : nodes_) {
      write_file(pool_file(node, "2048kB", "nr_hugepages"), std::to_string(kPages));
      EXPECT_EQ(number_in(pool_file(node, "2048kB", "nr_hugepages")), kPages);
    }
  }
  ~Pools() override {
    for (const NodeId node : nodes_) {
      EXPECT_EQ(free_pages(node), kPages) << "a page was lost";
      write_file(pool_file(node, "2048kB", "nr_hugepages"), "0");
    }
  }
  static std::uint64_t free_pages(NodeId node) {
    return number_in(pool_file(node, "2048kB", "free_hugepages"));
  }
};

void expect_pages(const Block& block, const std::vector<NodeId>& expected) {
  EXPECT_EQ(block.where(), expected);
  EXPECT_EQ(block.wished(), expected);
  for (std::size_t page = 0; page < expected.size(); page += 512)
    EXPECT_EQ(node_of(block.data() + page * kPage), expected[page]);
  EXPECT_EQ(of_mapping(block.data(), "Private_Hugetlb"), expected.size() * kPage);
}

TEST_F(Pools, EveryPlacementPageByPage) {
  for (const NodeId node : nodes_) {
    const Block block(context_, 3 * kHuge - 5, OnNode{node}, PageSize::pool_2m);
    expect_pages(block, std::vector<NodeId>(3 * 512, node));
    EXPECT_EQ(free_pages(node), kPages - 3);
    const Block ordered(context_, kHuge, Ordered{{node, nodes_.front()}}, PageSize::pool_2m);
    expect_pages(ordered, std::vector<NodeId>(512, node));
  }
  const std::size_t pages = 2 * nodes_.size() + 1;
  std::vector<NodeId> expected;
  for (std::size_t page = 0; page < pages; ++page)
    expected.insert(expected.end(), 512, nodes_[page % nodes_.size()]);
  const Block interleaved(context_, pages * kHuge, Interleaved{nodes_, kHuge}, PageSize::pool_2m);
  expect_pages(interleaved, expected);
  const Block runs(context_, 4 * kHuge, Runs{{{kHuge + 1, nodes_[1]}, {3 * kHuge - 1, nodes_[0]}}},
                   PageSize::pool_2m);
  expected.assign(512, nodes_[1]);
  expected.insert(expected.end(), 3 * 512, nodes_[0]);
  expect_pages(runs, expected);
}

TEST_F(Pools, AnEmptyPoolSpillsOrRefusesAndKillsNobody) {
  const std::vector<NodeId> order = machine_.order(nodes_[0], Ordering::latency);
  {
    const Block block(context_, (kPages + 2) * kHuge, OnNode{nodes_[0]}, PageSize::pool_2m);
    const auto found = memory::pages_by_node(block.where());
    EXPECT_EQ(found.at(nodes_[0]), kPages * 512);
    EXPECT_EQ(found.at(order[1]), 2 * 512U);
  }
  EXPECT_THROW(
      Block(context_, (kPages + 1) * kHuge, OnNode{nodes_[0]}, PageSize::pool_2m, WhenFull::refuse),
      Error);
  const std::size_t all = kPages * nodes_.size() * kHuge;
  const Block everything(context_, all, OnNode{nodes_[0]}, PageSize::pool_2m);
  EXPECT_EQ(everything.where().size(), all / kPage);
  try {
    const Block more(context_, 1, OnNode{nodes_[1]}, PageSize::pool_2m);
    ADD_FAILURE() << "there was no page left";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::memory);
    EXPECT_NE(std::string(error.what()).find("pool of 2 MiB pages"), std::string::npos)
        << error.what();
  }
}

TEST_F(Pools, WhatOthersReservedIsRefusedBeforeAnyPageIsTouched) {
  const std::size_t all = kPages * nodes_.size() * kHuge;
  void* const reserved =
      mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  ASSERT_NE(reserved, MAP_FAILED);
  EXPECT_THROW(Block(context_, kHuge, OnNode{nodes_[0]}, PageSize::pool_2m), Error);
  munmap(reserved, all);
}

TEST_F(Pools, LiveArraysMoveFromNodeToNodeAndToOtherPages) {
  const std::size_t size = 2 * kHuge / sizeof(std::uint64_t) + 7;
  Array<std::uint64_t> array(context_, size, Layout{SingleNode{nodes_[0]}, PageSize::pool_2m});
  for (std::size_t i = 0; i < size; ++i) array.set(i, i * i);
  const std::vector<Layout> layouts{
      {SingleNode{nodes_[1]}, PageSize::pool_2m},
      {Distributed{nodes_, kHuge}, PageSize::pool_2m},
      {Replicated{{nodes_[1], nodes_[0]}}, PageSize::pool_2m},
      {Distributed{nodes_, kPage}, PageSize::small},
      {Replicated{nodes_}, PageSize::pool_2m},
      {Partitioned{{nodes_[1], nodes_[0]}, {5, size}}, PageSize::pool_2m},
  };
  for (const Layout& layout : layouts) {
    SCOPED_TRACE(to_string(layout));
    EXPECT_EQ(array.move_to(context_, layout), 0U);
    std::uint64_t wrong = 0;
    for (std::size_t copy = 0; copy < array.raw().copies(); ++copy) {
      const auto* values = reinterpret_cast<const std::uint64_t*>(array.raw().copy(copy));
      for (std::size_t i = 0; i < size; ++i) wrong += values[i] != i * i;
    }
    EXPECT_EQ(wrong, 0U);
  }
}

TEST_F(Pools, TheMachineTellsThemAndThePolicyUsesThemWhenTheRestIsFull) {
  const Machine now = Machine::this_computer();
  for (const MemoryNode& memory : now.memories()) EXPECT_EQ(memory.free_2m_pages, kPages);
  Machine::Data full = now.data();
  for (MemoryNode& memory : full.memories) memory.free_bytes = kMiB;
  const Machine machine(std::move(full), "full");
  const memory::Context context{machine, team_};
  const Array<double> array(context, 5 * kHuge / 8, pattern_of({.read_only = true}));
  EXPECT_EQ(array.layout().pages, PageSize::pool_2m);
  for (const CopyWhereabouts& copy : array.where()) EXPECT_EQ(copy.misplaced, 0U);
}

class Giant : public MemoryInGuest {};

TEST_F(Giant, PagesOfOneGibibyteByNode) {
  ASSERT_EQ(nodes_.size(), 2U);
  for (const MemoryNode& memory : machine_.memories()) ASSERT_EQ(memory.free_1g_pages, 1U);
  for (const NodeId node : nodes_) {
    const Block block(context_, kGiB - 100, OnNode{node}, PageSize::pool_1g);
    EXPECT_EQ(block.where(), std::vector<NodeId>(kGiB / kPage, node));
    EXPECT_EQ(node_of(block.data()), node);
    EXPECT_EQ(of_mapping(block.data(), "KernelPageSize"), kGiB);
    EXPECT_EQ(number_in(pool_file(node, "1048576kB", "free_hugepages")), 0U);
    // The node's pool is empty, so the other node's page is used, or the request is refused.
    EXPECT_THROW(Block(context_, 1, OnNode{node}, PageSize::pool_1g, WhenFull::refuse), Error);
    const Block other(context_, 1, OnNode{node}, PageSize::pool_1g);
    EXPECT_NE(node_of(other.data()), node);
    EXPECT_THROW(Block(context_, 1, OnNode{node}, PageSize::pool_1g), Error);
  }
  const Block both(context_, 2 * kGiB, Interleaved{{nodes_[1], nodes_[0]}, kGiB},
                   PageSize::pool_1g);
  EXPECT_EQ(node_of(both.data()), nodes_[1]);
  EXPECT_EQ(node_of(both.data() + kGiB), nodes_[0]);
  EXPECT_EQ(both.where(), both.wished());
}

TEST_F(Giant, ArraysAreReplicatedInThem) {
  const std::size_t size = 1000;
  Array<std::uint64_t> array(context_, size, Layout{Replicated{nodes_}, PageSize::pool_1g});
  array.fill(7);
  for (const CopyWhereabouts& copy : array.where()) EXPECT_EQ(copy.misplaced, 0U);
  EXPECT_EQ(array.move_to(context_, Layout{SingleNode{nodes_[1]}, PageSize::small}), 0U);
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(array.get(i), 7U);
}

}  // namespace
}  // namespace Atoll::guest
