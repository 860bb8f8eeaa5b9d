// Placed memory for containers: location, alignment, reuse and release, with several threads. The
// fake memory has four nodes and its own bookkeeping, independent of the resource.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <memory_resource>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "atoll/array/placed_memory_resource.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr NodeId kOne{1};

class Containers : public testing::Test {
 protected:
  /// Returns the node of the page that contains the address, according to the fake memory.
  [[nodiscard]] NodeId node_of(const void* address) const {
    auto* page = static_cast<std::byte*>(const_cast<void*>(address));
    page -= reinterpret_cast<std::uintptr_t>(page) % kPageBytes;
    NodeId node;
    backend_.locate(std::vector<memory::Range>{{page, kPageBytes}}, {&node, 1});
    return node;
  }

  const Machine machine_ = memory::four_node_machine();
  memory::FakeBackend backend_{memory::four_nodes(1 << 16)};
  const Team team_{
      {{0, NodeId{0}}, {1, NodeId{0}}, {2, kOne}, {3, kOne}}, Team::Runtime::std_threads, false};
  const memory::Context context_{machine_, team_, backend_};
  const Layout single_{SingleNode{kOne}, PageSize::small};
};

TEST_F(Containers, StandardContainersWorkAndLieWhereTheyShould) {
  PlacedMemoryResource resource(context_, single_);
  {
    std::vector<int, Allocator<int>> numbers(resource);
    std::unordered_map<int, std::string, std::hash<int>, std::equal_to<>,
                       Allocator<std::pair<const int, std::string>>>
        names(resource);
    std::list<double, Allocator<double>> list({1, 2, 3}, resource);
    std::pmr::map<std::pmr::string, int> tree(&resource);
    for (int i = 0; i < 100'000; ++i) numbers.push_back(i);
    for (int i = 0; i < 2000; ++i) {
      names[i * 7919] = std::to_string(i);
      tree[std::pmr::string("a name that is too long to be inside ") += std::to_string(i).c_str()] =
          i;
    }
    EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0LL), 99'999LL * 50'000);
    EXPECT_EQ(names.at(1999 * 7919), "1999");
    EXPECT_EQ(tree.size(), 2000U);
    for (const int& number : numbers) ASSERT_EQ(node_of(&number), kOne);
    for (const auto& entry : names) ASSERT_EQ(node_of(&entry), kOne);
    for (const double& number : list) ASSERT_EQ(node_of(&number), kOne);
    for (const auto& [key, value] : tree) {
      ASSERT_EQ(node_of(&value), kOne);
      ASSERT_EQ(node_of(key.data()), kOne);
    }
    const CopyWhereabouts where = resource.where();
    EXPECT_EQ(where.misplaced, 0U);
    EXPECT_EQ(where.pages_by_node.size(), 1U);
    EXPECT_EQ(where.pages.size() * kPageBytes, resource.statistics().bytes_mapped);
    EXPECT_EQ(backend_.pages_mapped(), where.pages.size());
  }
  EXPECT_EQ(resource.statistics().bytes_in_use, 0U);
  EXPECT_EQ(resource.statistics().allocations, resource.statistics().frees);
}

TEST_F(Containers, AllocatorsGoAlongWithTheirContainers) {
  PlacedMemoryResource one(context_, single_), other(context_, single_);
  using Numbers = std::vector<int, Allocator<int>>;
  Numbers a(100, 1, one), b(100, 2, other);
  EXPECT_FALSE(a.get_allocator() == b.get_allocator());
  EXPECT_TRUE(Allocator<double>(one) == a.get_allocator());
  b = a;
  EXPECT_EQ(&b.get_allocator().resource(), &one);
  EXPECT_EQ(other.statistics().bytes_in_use, 0U);
  const Numbers copy = a;
  EXPECT_EQ(&copy.get_allocator().resource(), &one);
  Numbers c(100, 3, other);
  swap(a, c);
  EXPECT_EQ(&a.get_allocator().resource(), &other);
  a = std::move(c);
  EXPECT_EQ(&a.get_allocator().resource(), &one);
  EXPECT_TRUE(one.is_equal(one));
  EXPECT_FALSE(one.is_equal(other));
}

TEST_F(Containers, StatisticsAreExact) {
  PlacedMemoryResource resource(context_, single_);
  const auto expect = [&](std::uint64_t in_use, std::uint64_t mapped, std::uint64_t most,
                          std::uint64_t allocations, std::uint64_t frees) {
    const auto now = resource.statistics();
    EXPECT_EQ(now.bytes_in_use, in_use);
    EXPECT_EQ(now.bytes_mapped, mapped);
    EXPECT_EQ(now.peak_bytes_mapped, most);
    EXPECT_EQ(now.allocations, allocations);
    EXPECT_EQ(now.frees, frees);
    EXPECT_EQ(backend_.pages_mapped() * kPageBytes, mapped);
  };
  expect(0, 0, 0, 0, 0);
  void* const small = resource.allocate(100, 8);
  expect(100, 2 * kMiB, 2 * kMiB, 1, 0);
  static_cast<void>(resource.allocate(kMiB / 2, 64));
  expect(100 + kMiB / 2, 2 * kMiB, 2 * kMiB, 2, 0);
  void* const large = resource.allocate(kMiB / 2 + 1, 8);
  const std::uint64_t peak = 2 * kMiB + kMiB / 2 + 4096;
  expect(101 + kMiB, peak, peak, 3, 0);
  resource.deallocate(large, kMiB / 2 + 1, 8);
  expect(100 + kMiB / 2, 2 * kMiB, peak, 3, 1);
  resource.deallocate(small, 100, 8);
  expect(kMiB / 2, 2 * kMiB, peak, 3, 2);
  resource.release();
  expect(0, 0, peak, 3, 3);
  EXPECT_EQ(backend_.reservations(), 0U);
  resource.deallocate(resource.allocate(7), 7);
  expect(0, 2 * kMiB, peak, 4, 4);
}

TEST_F(Containers, BlocksAreReusedAndEmptyChunksGoBack) {
  PlacedMemoryResource resource(context_, single_);
  void* const first = resource.allocate(48);
  resource.deallocate(first, 48);
  EXPECT_EQ(resource.allocate(48), first);
  // memory freed as blocks of one size is reused for blocks of other sizes
  for (const std::size_t bytes : {64, 1000, 20'000, 300'000}) {
    std::vector<void*> blocks(16 * kMiB / bytes);
    for (void*& block : blocks) block = resource.allocate(bytes);
    EXPECT_LE(resource.statistics().bytes_mapped, 25 * kMiB) << bytes;
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
    for (void* const block : blocks) resource.deallocate(block, bytes);
    EXPECT_LE(resource.statistics().bytes_mapped, 4 * kMiB) << bytes;
  }
  EXPECT_LE(resource.statistics().peak_bytes_mapped, 25 * kMiB);
}

TEST_F(Containers, EveryAlignmentIsHonoured) {
  for (const PageSize pages : {PageSize::small, PageSize::huge, PageSize::pool_2m}) {
    PlacedMemoryResource resource(context_, {SingleNode{NodeId{0}}, pages});
    for (std::size_t alignment = 1; alignment <= 8 * kMiB; alignment *= 2)
      for (const std::size_t bytes : {0UL, 1UL, 24UL, 100UL, 4096UL, 70'000UL, 3 * kMiB}) {
        std::vector<void*> blocks(3);
        for (void*& block : blocks) {
          block = resource.allocate(bytes, alignment);
          ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << bytes;
          std::fill_n(static_cast<char*>(block), bytes, 'x');
        }
        for (void* const block : blocks) resource.deallocate(block, bytes, alignment);
      }
    EXPECT_EQ(resource.statistics().bytes_in_use, 0U);
  }
  PlacedMemoryResource resource(context_, single_);
  struct alignas(256) Wide {
    double values[32];
  };
  const std::vector<Wide, Allocator<Wide>> wide(1000, resource);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.data()) % 256, 0U);
}

TEST_F(Containers, WhatCannotBeHadIsABadAlloc) {
  for (const MemoryNode& memory : machine_.memories()) backend_.others_take(memory.id, 60'000);
  PlacedMemoryResource resource(context_, single_);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2, std::size_t{1} << 40})
    for (const std::size_t alignment : {std::size_t{1}, kMiB, std::size_t{1} << 60})
      EXPECT_THROW(static_cast<void>(resource.allocate(bytes, alignment)), std::bad_alloc);
  try {
    static_cast<void>(resource.allocate(std::size_t{1} << 40));
    FAIL();
  } catch (const PlacementError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("this machine has only"));
    EXPECT_EQ(error.error().kind(), Error::Kind::memory);
  }
  EXPECT_THROW(static_cast<void>(Allocator<int>(resource).allocate(SIZE_MAX / 2)),
               std::bad_array_new_length);
  EXPECT_EQ(resource.statistics().allocations, 0U);
  EXPECT_EQ(resource.statistics().bytes_mapped, 0U);
  EXPECT_EQ(backend_.reservations(), 0U);
  // Allocates small blocks until memory is exhausted. The container keeps its elements.
  std::pmr::list<std::array<char, 1000>> list(&resource);
  EXPECT_THROW(for (;;) list.emplace_back(), std::bad_alloc);
  EXPECT_EQ(resource.statistics().allocations, list.size());
  EXPECT_FALSE(backend_.killed());
  list.clear();
  EXPECT_LE(resource.statistics().bytes_mapped, 2 * kMiB);
}

TEST_F(Containers, AFullNodeSpillsOrRefuses) {
  backend_.others_take(kOne, (1 << 16) - 2000);
  PlacedMemoryResource spilling(context_, single_);
  static_cast<void>(spilling.allocate(16 * kMiB));
  EXPECT_GT(spilling.where().misplaced, 0U);
  spilling.release();
  PlacedMemoryResource strict(context_, single_, memory::WhenFull::refuse);
  EXPECT_THROW(static_cast<void>(strict.allocate(16 * kMiB)), PlacementError);
}

TEST_F(Containers, LayoutsThatMeanNothingForContainersAreRefused) {
  const auto refused = [&](const Layout& layout) {
    try {
      PlacedMemoryResource resource(context_, layout);
      return std::string("taken");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input);
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused({Replicated{{NodeId{0}, kOne}}, PageSize::small}),
            "layout: containers have one copy, but it is replicated on 0-1, 4 KiB pages; take a "
            "layout of one copy, or an Array for what is only read");
  EXPECT_THAT(refused({Partitioned{{NodeId{0}, kOne}, {1, 2}}, PageSize::small}),
              testing::HasSubstr("leave the bounds out"));
  EXPECT_THAT(refused({Distributed{{NodeId{0}}, 4097}, PageSize::small}),
              testing::HasSubstr("granule"));
  EXPECT_THAT(refused({Distributed{{}}, PageSize::small}), testing::HasSubstr("no node"));
  EXPECT_THAT(refused({SingleNode{NodeId{9}}, PageSize::small}), testing::HasSubstr("9"));
  EXPECT_EQ(refused(single_), "taken");
}

TEST_F(Containers, DistributedOnesGoOverTheNodesEvenly) {
  const std::vector<NodeId> nodes{NodeId{2}, NodeId{0}, kOne};
  for (const auto& [pages, granule] :
       {std::pair{PageSize::small, 4096UL}, std::pair{PageSize::huge, 2 * kMiB}}) {
    PlacedMemoryResource resource(context_, {Distributed{nodes, granule}, pages});
    std::pmr::set<int> tree(&resource);
    for (int i = 0; i < 200'000; ++i) tree.insert(tree.end(), i);
    std::pmr::vector<std::pmr::vector<char>> large(6, &resource);
    for (auto& vector : large) vector.resize(3 * kMiB / 2);
    const CopyWhereabouts where = resource.where();
    EXPECT_EQ(where.misplaced, 0U);
    const auto& by_node = where.pages_by_node;
    ASSERT_EQ(by_node.size(), 3U);
    const auto [least, most] =
        std::minmax_element(by_node.begin(), by_node.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_LE((most->second - least->second) * kPageBytes, 2 * granule);
    std::map<NodeId, int> entries;
    for (const int& value : tree) ++entries[node_of(&value)];
    EXPECT_EQ(entries.size(), 3U);
  }
}

TEST_F(Containers, PartitionedOnesAreNearTheThreadThatAllocates) {
  const Layout layout{Partitioned{{NodeId{0}, NodeId{0}, kOne, kOne}}, PageSize::small};
  PlacedMemoryResource resource(context_, layout);
  std::pmr::vector<std::pmr::set<int>> trees(4, &resource);
  team_.run([&](int thread) {
    for (int i = 0; i < 5000; ++i) trees[static_cast<std::size_t>(thread)].insert(i);
  });
  for (std::size_t thread = 0; thread < 4; ++thread)
    for (const int& value : trees[thread])
      ASSERT_EQ(node_of(&value), team_.places()[thread].node) << thread;
  const std::pmr::vector<char> large(8 * kMiB, 'x', &resource);
  for (std::size_t at = 0; at < large.size(); at += 4096)
    ASSERT_EQ(node_of(&large[at]), at < 4 * kMiB ? NodeId{0} : kOne) << at;
  // if a part's memory has no processors, the thread nearest to it uses the part
  PlacedMemoryResource far(context_, {Partitioned{{NodeId{3}, NodeId{2}}}, PageSize::small});
  std::vector<NodeId> found(4);
  team_.run(
      [&](int thread) { found[static_cast<std::size_t>(thread)] = node_of(far.allocate(8)); });
  EXPECT_THAT(found, testing::ElementsAre(NodeId{2}, NodeId{2}, NodeId{2}, NodeId{2}));
}

TEST_F(Containers, ThreadsGrowContainersWithinARun) {
  PlacedMemoryResource resource(context_, single_);
  std::vector<std::vector<int, Allocator<int>>> vectors(4,
                                                        std::vector<int, Allocator<int>>(resource));
  const auto grow = [&](std::size_t thread) {
    for (int i = 0; i < 1'000'000; ++i) vectors[thread].push_back(i);
  };
  team_.run([&](int thread) {
    const CurrentPlace before = current_place();
    grow(static_cast<std::size_t>(thread));
    EXPECT_EQ(current_place().thread, before.thread);
    EXPECT_EQ(current_place().node, before.node);
  });
  for (const auto& vector : vectors) EXPECT_EQ(vector.size(), 1'000'000U);
  EXPECT_EQ(resource.where().misplaced, 0U);
  // the same holds for threads outside any team
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) threads.emplace_back(grow, thread);
  for (std::thread& thread : threads) thread.join();
  for (const auto& vector : vectors) EXPECT_EQ(vector.back(), 999'999);
  EXPECT_EQ(resource.where().misplaced, 0U);
}

/// Blocks in use, each with its expected content.
struct Model {
  struct Used {
    std::byte* data;
    std::size_t bytes;
    std::size_t alignment;
    std::byte mark;
  };
  std::vector<Used> blocks;

  /// Performs one random operation. Frees may take a block of `other`, which belongs to another
  /// thread.
  void step(std::mt19937& random, PlacedMemoryResource& resource) {
    const auto below = [&](std::size_t end) {
      return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
    };
    const bool grows = blocks.size() < 2000 && below(100) < 55;
    if (grows || blocks.empty()) {
      const std::size_t most = std::size_t{1} << below(below(30) == 0 ? 22 : 14);
      const Used block{nullptr, below(most + 1), std::size_t{1} << below(8),
                       static_cast<std::byte>(below(256))};
      blocks.push_back(block);
      Used& made = blocks.back();
      made.data = static_cast<std::byte*>(resource.allocate(block.bytes, block.alignment));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(made.data) % block.alignment, 0U);
      std::fill_n(made.data, made.bytes, made.mark);
    } else {
      std::swap(blocks[below(blocks.size())], blocks.back());
      free_last(resource);
    }
  }
  void free_last(PlacedMemoryResource& resource) {
    const Used block = blocks.back();
    blocks.pop_back();
    // the content is intact, so no other block overlaps this one
    ASSERT_EQ(std::count(block.data, block.data + block.bytes, block.mark),
              static_cast<std::ptrdiff_t>(block.bytes));
    resource.deallocate(block.data, block.bytes, block.alignment);
  }
  [[nodiscard]] std::size_t bytes() const {
    return std::accumulate(blocks.begin(), blocks.end(), std::size_t{0},
                           [](std::size_t sum, const Used& block) { return sum + block.bytes; });
  }
};

TEST_F(Containers, RandomOperationsOfSeveralThreads) {
  const std::vector<Layout> layouts{
      single_,
      {Distributed{{NodeId{0}, kOne, NodeId{2}}}, PageSize::small},
      {Partitioned{{NodeId{0}, kOne}}, PageSize::huge},
  };
  for (const Layout& layout : layouts) {
    SCOPED_TRACE(to_string(layout));
    PlacedMemoryResource resource(context_, layout);
    std::vector<Model> models(4);
    for (unsigned round = 0; round < 3; ++round) {
      team_.run([&](int thread) {
        std::mt19937 random(100 * round + static_cast<unsigned>(thread));
        for (int step = 0; step < 2500; ++step)
          models[static_cast<std::size_t>(thread)].step(random, resource);
      });
      std::size_t bytes = 0, blocks = 0;
      for (const Model& model : models) {
        bytes += model.bytes();
        blocks += model.blocks.size();
      }
      const auto statistics = resource.statistics();
      EXPECT_EQ(statistics.bytes_in_use, bytes);
      EXPECT_EQ(statistics.allocations - statistics.frees, blocks);
      EXPECT_EQ(statistics.allocations + statistics.frees, (round + 1) * 4 * 2500);
      EXPECT_EQ(statistics.bytes_mapped, backend_.pages_mapped() * kPageBytes);
      EXPECT_EQ(resource.where().misplaced, 0U);
      std::rotate(models.begin(), models.begin() + 1, models.end());  // threads swap blocks
    }
    for (Model& model : models)
      while (!model.blocks.empty()) model.free_last(resource);
    EXPECT_EQ(resource.statistics().bytes_in_use, 0U);
    EXPECT_LE(resource.statistics().bytes_mapped, 4 * 2 * kMiB);  // one kept by each lock
  }
  EXPECT_EQ(backend_.pages_mapped(), 0U);
  EXPECT_EQ(backend_.reservations(), 0U);
}

}  // namespace
}  // namespace Atoll
