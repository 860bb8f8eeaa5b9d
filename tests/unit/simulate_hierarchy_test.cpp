// Every hit and miss of the cache hierarchy, compared with caches that are searched linearly.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "simulate/prefetcher.hpp"
#include "simulate_brute_force.hpp"

namespace Atoll::simulate {
namespace {

/// Two memories, alternating by 4 KiB page. Each memory assigns locations to pages in order of
/// first use.
class TwoHomes : public Homes {
 public:
  std::uint16_t home_of(LineKey line, std::uint32_t) override { return line >> 6 & 1; }
  std::uint64_t line_in_memory(LineKey line) override {
    auto& memory = pages_[home_of(line, 0)];
    return memory.emplace(line >> 6, memory.size()).first->second * 64 + line % 64;
  }

 private:
  std::map<LineKey, std::uint64_t> pages_[2];
};

enum class Third { none, inclusive, victim };

/// Eight cores. Two share a level 2 cache, four are on a chip.
Shape small_shape(Third third) {
  Shape shape;
  shape.cores = 8;
  shape.l2s = 4;
  shape.chips = 2;
  shape.chip_of_l2 = {0, 0, 1, 1};
  shape.node_of_chip = {0, 1};
  shape.l1 = {8, 2};
  shape.l2 = {24, 4};  // six sets, which isn't a power of two
  if (third != Third::none) shape.l3 = {64, 8};
  shape.l3_is_inclusive = third == Third::inclusive;
  shape.tlb1 = {CacheShape{4, 2}, CacheShape{2, 2}, CacheShape{2, 2}};
  shape.tlb2 = {CacheShape{12, 4}, CacheShape{0, 1}, CacheShape{4, 4}};
  shape.walk_cache = 2;
  shape.prefetch_streams = 0;
  shape.memories = 2;
  return shape;
}

/// Memory-side caches: one is direct-mapped; one has four ways, 24 sets and longer lines.
const std::vector<MemorySideShape> kSides{{{256, 1}, 0}, {{96, 4}, 1}};

class SimulateHierarchy : public testing::TestWithParam<std::tuple<Third, int>> {};

TEST_P(SimulateHierarchy, HitsAndMissesAsABruteForceCacheDoes) {
  const auto [third, seed] = GetParam();
  Shape shape = small_shape(third);
  if (seed >= 3) shape.memory_side = kSides;
  if (seed == 5) shape.memory_side[0] = {};  // the first memory has no memory-side cache
  std::vector<HardwareThread> hw_threads;
  for (std::uint32_t core = 0; core < 8; ++core)
    hw_threads.push_back({core, core / 2, core / 4, core / 4});
  TwoHomes homes;
  Hierarchy fast(shape, homes);
  BruteForce plain(shape, hw_threads, homes);
  std::mt19937_64 random(static_cast<unsigned>(seed));
  Outcome outcome;
  std::vector<SideTraffic> side;
  std::uint64_t write_backs = 0;
  for (int i = 0; i < 60'000; ++i) {
    const HardwareThread& hw_thread = hw_threads[random() % 8];
    // A mix of private lines, lines that all cores share, and repeated accesses to a line.
    std::uint64_t address =
        random() % 3 == 0 ? random() % 16 * 64 : (hw_thread.core * 64 + random() % 48) * 64;
    if (random() % 4 == 0) address += random() % 12 << 21;
    const auto size = static_cast<PageClass>(seed % 3);
    const bool write = random() % 3 == 0;
    const LineKey line = line_key(0, address, 6);
    const std::uint64_t page = address >> kPageBits[static_cast<std::size_t>(size)];
    const Outcome expected = plain.access(hw_thread, line, page, size, write);
    side.clear();
    if (fast.hit(hw_thread, line, page, size, write) != Hierarchy::Hit::no) {
      ASSERT_EQ(expected.data.source, Source::l1);
      ASSERT_EQ(expected.walk_steps, 0);
      ASSERT_EQ(expected.upgrade, Upgrade::none);
    } else {
      fast.access(hw_thread, line, page, size, homes.home_of(line, 0), write, outcome, side);
      ASSERT_EQ(outcome.data.source, expected.data.source) << i;
      ASSERT_EQ(outcome.data.memory_side, expected.data.memory_side) << i;
      ASSERT_EQ(outcome.upgrade, expected.upgrade) << i;
      ASSERT_EQ(outcome.second_tlb, expected.second_tlb) << i;
      ASSERT_EQ(outcome.walk_steps, expected.walk_steps) << i;
      for (int step = 0; step < expected.walk_steps; ++step)
        ASSERT_EQ(outcome.walk[static_cast<std::size_t>(step)].source,
                  expected.walk[static_cast<std::size_t>(step)].source);
    }
    write_backs += side.size();
    fast.check(line);
  }
  EXPECT_EQ(fast.counts(), plain.counts);
  EXPECT_EQ(write_backs, plain.counts.write_backs);
  if (seed >= 3) {
    EXPECT_GT(plain.counts.memory_side_misses, 1'000U);
    EXPECT_GT(plain.counts.memory_side_requests, plain.counts.memory_side_misses + 1'000U);
    EXPECT_GT(plain.counts.memory_side_write_backs, 300U);
  }
  EXPECT_GT(plain.counts.transfers_near, 1'000U);
  EXPECT_GT(plain.counts.transfers_far, 1'000U);
  EXPECT_GT(plain.counts.upgrades_far, 300U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SimulateHierarchy,
                         testing::Combine(testing::Values(Third::none, Third::inclusive,
                                                          Third::victim),
                                          testing::Range(0, 6)));

/// If a part of a run is replayed, memory-side caches keep the state that the run left.
TEST(SimulateHierarchy, KeepsCachesInFrontOfMemoriesAsTheyAre) {
  Shape shape = small_shape(Third::none);
  shape.l1 = shape.l2 = {1, 1};
  shape.memory_side = kSides;
  TwoHomes homes;
  Hierarchy run(shape, homes);
  Hierarchy part(shape, homes);
  part.keep_memory_sides(run);
  const HardwareThread hw_thread{};
  std::vector<SideTraffic> side;
  const auto read = [&](Hierarchy& one, std::uint64_t number) {
    const LineKey line = line_key(0, number * 64, 6);
    Outcome outcome;
    one.access(hw_thread, line, 0, PageClass::huge, homes.home_of(line, 0), false, outcome, side);
    return outcome.data.memory_side;
  };
  for (std::uint64_t line = 0; line < 64; ++line) read(run, line);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(read(part, 7), MemorySideResult::hit);
    EXPECT_EQ(read(part, 128 + 7), MemorySideResult::missed);  // a miss doesn't insert the line
  }
  EXPECT_EQ(read(run, 7), MemorySideResult::hit);
  EXPECT_EQ(read(run, 128 + 7), MemorySideResult::missed);
  EXPECT_EQ(read(run, 9), MemorySideResult::hit);
  EXPECT_EQ(read(run, 128 + 7), MemorySideResult::hit);
}

TEST(SimulatePrefetcher, FollowsAStreamToTheEndOfItsPage) {
  for (const int direction : {1, -1}) {
    Prefetcher prefetcher(4, 8, 6);
    std::vector<std::uint64_t> fetched;
    const std::uint64_t begin = direction > 0 ? 640 : 640 + 63;
    for (std::uint64_t i = 0; i < 64; ++i)
      prefetcher.ask(begin + i * static_cast<std::uint64_t>(direction), 6,
                     [&](std::uint64_t line) { fetched.push_back(line); });
    ASSERT_EQ(fetched.size(), 61U);  // the first two steps determine the direction
    for (std::uint64_t i = 0; i < 61; ++i)
      EXPECT_EQ(fetched[i], begin + (i + 3) * static_cast<std::uint64_t>(direction));
  }
}

TEST(SimulatePrefetcher, GoesOnInALargerPage) {
  Prefetcher prefetcher(4, 100, 6);  // 100 lines ahead: more than 4 KiB
  std::vector<std::uint64_t> fetched;
  for (std::uint64_t line = 0; line < 512; ++line)
    prefetcher.ask(line, 9, [&](std::uint64_t next) { fetched.push_back(next); });
  ASSERT_EQ(fetched.size(), 509U);
  for (std::uint64_t i = 0; i < 509; ++i) EXPECT_EQ(fetched[i], i + 3);
}

TEST(SimulatePrefetcher, ManyRandomAccessesDontDriveOutAStream) {
  Prefetcher prefetcher(16, 8, 6);
  std::mt19937_64 random(1);
  std::uint64_t fetched = 0;
  const auto count = [&](std::uint64_t) { ++fetched; };
  for (std::uint64_t line = 640; line < 644; ++line) prefetcher.ask(line, 6, count);
  for (int i = 0; i < 1000; ++i) prefetcher.ask(random() % 1'000'000 * 64 + 1'000'000, 6, count);
  const std::uint64_t before = fetched;
  prefetcher.ask(644, 6, count);
  EXPECT_EQ(fetched, before + 2);
}

TEST(SimulatePrefetcher, IgnoresWhatIsNoStream) {
  Prefetcher prefetcher(4, 8, 6);
  std::mt19937_64 random(1);
  int fetched = 0;
  for (int i = 0; i < 1000; ++i)
    prefetcher.ask(random() % 1'000'000 * 64, 6, [&](std::uint64_t) { ++fetched; });
  EXPECT_EQ(fetched, 0);
}

TEST(SimulateDirectory, GrowsAndForgets) {
  Directory directory(100);
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> lines;
  for (int i = 0; i < 20'000; ++i) {
    lines.push_back(random() >> 8);
    Directory::Entry entry = directory.find_or_add(lines.back());
    entry.add(static_cast<std::uint32_t>(i % 100));
    entry.set_owner(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < lines.size(); i += 2)
    directory.find(lines[i]).remove(static_cast<std::uint32_t>(i % 100));
  for (const std::uint64_t line : lines) directory.remove_empty(line);
  directory.remove_empty(lines[0]);  // already removed
  EXPECT_EQ(directory.lines(), 10'000U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Directory::Entry entry = directory.find(lines[i]);
    ASSERT_EQ(entry.is_there(), i % 2 == 1);
    if (i % 2 == 0) continue;
    EXPECT_EQ(entry.owner(), i);
    EXPECT_TRUE(entry.holds(static_cast<std::uint32_t>(i % 100)));
    EXPECT_FALSE(entry.holds(static_cast<std::uint32_t>((i + 1) % 100)));
  }
}

}  // namespace
}  // namespace Atoll::simulate
