// The node of every page, according to the kernel, for every placement and page size.
#include <atomic>
#include <thread>

#include "guest_system.hpp"

namespace Atoll::guest {
namespace {

using memory::Block;
using memory::Interleaved;
using memory::OnNode;
using memory::Ordered;
using memory::Placement;
using memory::Runs;

TEST_F(MemoryInGuest, HasSeveralNodesAndNumaCalls) {
  EXPECT_GE(nodes_.size(), 4U);
  EXPECT_GE(machine_.initiators().size(), 2U);
  EXPECT_EQ(memory::system_backend().name(), "linux");
}

void expect_pages(const Block& block, const std::vector<NodeId>& expected) {
  EXPECT_EQ(block.where(), expected);
  EXPECT_EQ(block.wished(), expected);
  EXPECT_EQ(nodes_of_pages(block.data(), block.bytes()), expected);
}

TEST_F(MemoryInGuest, EveryPlacementPageByPage) {
  const std::size_t pages = 512 * (nodes_.size() + 1) + 77;
  const std::size_t bytes = pages * kPage - 5;
  for (const PageSize size : {PageSize::small, PageSize::huge}) {
    const std::size_t unit = page_bytes(size) / kPage;
    SCOPED_TRACE(page_bytes(size));
    const auto expect_huge_pages = [&](const Block& block) {
      EXPECT_EQ(of_mapping(block.data(), "AnonHugePages"),
                size == PageSize::huge ? pages / 512 * kHuge : 0U);
    };
    for (const NodeId node : nodes_) {
      const Block block(context_, bytes, OnNode{node}, size);
      expect_pages(block, std::vector<NodeId>(pages, node));
      expect_huge_pages(block);
      const Block ordered(context_, bytes, Ordered{{node, nodes_.front()}}, size);
      expect_pages(ordered, std::vector<NodeId>(pages, node));
      expect_huge_pages(ordered);
    }
    for (const std::size_t granule : {unit, 3 * unit}) {
      std::vector<NodeId> expected(pages);
      for (std::size_t page = 0; page < pages; ++page)
        expected[page] = nodes_[page / granule % nodes_.size()];
      const Block block(context_, bytes, Interleaved{nodes_, granule * kPage}, size);
      expect_pages(block, expected);
      expect_huge_pages(block);
    }
    // Runs that end within pages, on the nodes in descending order.
    Runs runs;
    std::vector<NodeId> expected;
    std::size_t end = 0;
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      const bool last = node + 1 == nodes_.rend();
      runs.runs.push_back({last ? bytes - end : kHuge + 1111, *node});
      end += runs.runs.back().bytes;
      const std::size_t rounded = (end + unit * kPage / 2) / (unit * kPage) * unit;
      expected.resize(last ? pages : rounded, *node);
    }
    const Block block(context_, bytes, runs, size);
    expect_pages(block, expected);
    expect_huge_pages(block);
  }
}

TEST_F(MemoryInGuest, LiveBlocksMovePageByPageWhileTheyAreUsed) {
  const std::size_t pages = 512 * 2 + 77;
  for (const PageSize size : {PageSize::small, PageSize::huge}) {
    const std::size_t unit = page_bytes(size);
    Block block(context_, pages * kPage, OnNode{nodes_.back()}, size);
    const auto word = [&](std::size_t page) {
      return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(block.data() + page * kPage));
    };
    for (std::size_t page = 0; page < pages; ++page) word(page) = page << 32;
    std::atomic<bool> stop = false;
    std::uint64_t rounds = 0;
    std::thread user([&] {
      for (; !stop; ++rounds)
        for (std::size_t page = 0; page < pages; ++page) ++word(page);
    });
    const std::vector<Placement> placements{
        Interleaved{nodes_, unit}, OnNode{nodes_[1]}, Ordered{{nodes_[0]}},
        Interleaved{{nodes_[0], nodes_[0], nodes_[0], nodes_[1]}, unit},
        Runs{{{kHuge + 1111, nodes_[1]}, {pages * kPage - kHuge - 1111, nodes_[0]}}}};
    for (const Placement& placement : placements) {
      EXPECT_EQ(block.move_to(context_, placement), 0U);
      expect_pages(block, Block(context_, pages * kPage, placement, size).where());
    }
    stop = true;
    user.join();
    for (std::size_t page = 0; page < pages; ++page) ASSERT_EQ(word(page), (page << 32) + rounds);
  }
}

TEST_F(MemoryInGuest, AMoveToAFullNodeTakesWhatFitsAndKillsNobody) {
  const auto room = memory::system_backend().available(PageSize::small).bytes_by_node;
  const NodeId full = nodes_[1];
  const std::size_t bytes = room.at(nodes_[0]) / 2 / kHuge * kHuge;
  const Taken taken(full, room.at(full) - bytes / 2);
  Block block(context_, bytes, OnNode{nodes_[0]}, PageSize::small);
  const std::uint64_t elsewhere = block.move_to(context_, OnNode{full});
  EXPECT_GT(elsewhere, 0U);
  const auto found = memory::pages_by_node(block.where());
  EXPECT_EQ(found.at(nodes_[0]), elsewhere);
  EXPECT_GT(found.at(full), bytes / kPage / 4);
}

TEST_F(MemoryInGuest, ATeamOnOneNodePlacesOnAll) {
  for (const NodeId initiator : machine_.initiators()) {
    ThreadPlaces places;
    for (const ThreadPlace& place : spread_places(machine_))
      if (place.node == initiator) places.push_back(place);
    const Team team(places, Team::Runtime::std_threads);
    const Block block({machine_, team}, 300 * nodes_.size() * kPage, Interleaved{nodes_, kPage},
                      PageSize::small);
    EXPECT_EQ(block.where(), block.wished());
  }
}

// 2^16 runs exceed the number of mappings that a process may have (vm.max_map_count, 65530).
TEST_F(MemoryInGuest, TheFinestInterleavingOfALargeBlockIsOneMapping) {
  const auto mappings = [] {
    std::ifstream file("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  const auto before = mappings();
  const Block block(context_, 256 * kMiB, Interleaved{nodes_, kPage}, PageSize::small);
  EXPECT_LE(mappings(), before + 3);
  EXPECT_EQ(block.where(), block.wished());
}

}  // namespace
}  // namespace Atoll::guest
