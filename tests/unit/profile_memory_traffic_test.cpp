// Traffic beyond the last-level caches, for runs whose misses are known.
#include "profile/memory_traffic.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "profile/gain.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kAllEpochs = 0xfffff;  // 20 epochs

/// Returns the number of lines in each phase.
std::vector<double> lines_of(const MemoryTraffic& traffic) {
  std::vector<double> lines(traffic.phases);
  for (const MemoryTraffic::Entry& entry : traffic.entries) lines[entry.phase] += entry.lines;
  return lines;
}

double all_lines(const MemoryTraffic& traffic) {
  const std::vector<double> lines = lines_of(traffic);
  return std::accumulate(lines.begin(), lines.end(), 0.0);
}

MemoryTraffic traffic_of(const SyntheticRun& run, const char* machine = "xeon-x7550") {
  const Profile profile = run.build();
  const Machine of = Machine::open(machine);
  const Places places = places_of(profile, of);
  return memory_traffic(profile, of, places, pages_by_node(profile, places));
}

/// Each thread reads its own array once per epoch.
SyntheticRun sweeps(std::uint32_t threads, std::uint64_t bytes_each) {
  SyntheticRun run(threads);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    const std::uint32_t block = run.object("make_block", 1, bytes_each);
    for (std::uint64_t offset = 0; offset < bytes_each; offset += 64)
      run.touch(thread, block, offset, 20, 0, kAllEpochs);
  }
  return run;
}

TEST(ProfileMemoryTraffic, WhatFitsTheLastLevelCacheIsReadOnce) {
  EXPECT_NEAR(all_lines(traffic_of(sweeps(4, 4 * kMiB))), 4.0 * 4 * kMiB / 64, 100);
}

TEST(ProfileMemoryTraffic, WhatDoesNotFitIsReadEachTime) {
  // Each of four nodes has three threads with 8 MiB each, and a cache of 18 MiB.
  EXPECT_NEAR(all_lines(traffic_of(sweeps(12, 8 * kMiB))), 20.0 * 12 * 8 * kMiB / 64, 100);
}

TEST(ProfileMemoryTraffic, WithoutALastLevelCacheAllPasses) {
  EXPECT_NEAR(all_lines(traffic_of(sweeps(4, kMiB), "numa:4 core:8 pu:1")), 20.0 * 4 * kMiB / 64,
              100);
}

TEST(ProfileMemoryTraffic, StreamsOfOneCacheShareWhatOneLoads) {
  SyntheticRun run(8);  // two threads on each node
  const std::uint32_t table = run.object("make_table", 1, 48 * kMiB);
  for (std::uint64_t offset = 0; offset < 48 * kMiB; offset += 64)
    for (std::uint32_t thread = 0; thread < 8; ++thread)
      run.touch(thread, table, offset, 20, 0, kAllEpochs);
  EXPECT_NEAR(all_lines(traffic_of(run)), 4 * 20.0 * 48 * kMiB / 64, 1000);
}

TEST(ProfileMemoryTraffic, WhatOtherCachesWriteIsReadAgain) {
  SyntheticRun run(4);  // one thread on each node
  const std::uint32_t block = run.object("make_block", 1, kMiB);
  for (std::uint64_t offset = 0; offset < kMiB; offset += 64) {
    run.touch(0, block, offset, 0, 20, kAllEpochs);
    run.touch(1, block, offset, 20, 0, kAllEpochs);
  }
  const double lines = static_cast<double>(kMiB) / 64;
  // Memory delivers each line once, to the first thread. The other thread then reads it from the
  // first one's cache.
  const MemoryTraffic traffic = traffic_of(run);
  EXPECT_NEAR(all_lines(traffic), lines, 100);
  double moved = 0;
  for (const MemoryTraffic::Entry& entry : traffic.entries) moved += entry.moved;
  EXPECT_NEAR(moved, 20 * lines, 100);
}

TEST(ProfileMemoryTraffic, WhatOneThreadFillsIsPassedOnOnce) {
  SyntheticRun run(4);  // one thread on each node
  const std::uint32_t table = run.object("make_table", 1, 4 * kMiB);
  for (std::uint64_t offset = 0; offset < 4 * kMiB; offset += 64) {
    run.touch(0, table, offset, 0, 1, 1);
    for (std::uint32_t thread = 1; thread < 4; ++thread)
      run.touch_cached(thread, table, offset, 200, 0, 1);
  }
  const double lines = 4.0 * kMiB / 64;
  const MemoryTraffic traffic = traffic_of(run);
  EXPECT_NEAR(lines_of(traffic).back(), lines, 1);
  double moved = 0;
  for (const MemoryTraffic::Entry& entry : traffic.entries) moved += entry.moved;
  EXPECT_NEAR(moved, lines, 1);
  EXPECT_NEAR(all_lines(traffic), lines + 2 * lines, 1);
}

TEST(ProfileMemoryTraffic, OneThreadAloneIsAPhase) {
  SyntheticRun run(8);
  const std::uint32_t data = run.object("make_data", 1, 96 * kMiB);
  for (std::uint64_t offset = 0; offset < 96 * kMiB; offset += 64) {
    run.touch(0, data, offset, 0, 1, 0x3);
    run.touch(static_cast<std::uint32_t>(offset / (12 * kMiB)), data, offset, 4, 0, 0xc);
  }
  const MemoryTraffic traffic = traffic_of(run);
  const std::size_t alone = traffic.phases - 1, together = traffic.phase_of_epoch[2];
  ASSERT_NE(alone, together);
  EXPECT_TRUE(traffic.is_alone[alone]);
  EXPECT_FALSE(traffic.is_alone[together]);
  const double lines = 96.0 * kMiB / 64;
  EXPECT_NEAR(lines_of(traffic)[alone], lines, 1);
  EXPECT_NEAR(lines_of(traffic)[together], 4 * lines, 0.3 * lines);
  EXPECT_NEAR(traffic.busiest_part[alone][0], 1, 1e-6);
  EXPECT_NEAR(traffic.busiest_part[together][1], 0.5, 0.01);
}

TEST(ProfileGain, ALargeGainIsReliableAndNoneIsNot) {
  const Profile profile = [] {
    SyntheticRun run(32);
    const std::uint32_t data = run.object("make_data", 1, 96 * kMiB);
    for (std::uint64_t offset = 0; offset < 96 * kMiB; offset += 64)
      run.touch(static_cast<std::uint32_t>(offset / (3 * kMiB)), data, offset, 20, 0, kAllEpochs);
    return run.build();
  }();
  const Machine machine = Machine::open("xeon-x7550");
  const Places places = places_of(profile, machine);
  const PagesByNode pages = pages_by_node(profile, places);
  const MemoryTraffic phases = memory_traffic(profile, machine, places, pages);
  const MemoryTraffic epochs = memory_traffic(profile, machine, places, pages, Division::epochs);
  const auto all_on = [&](auto&& memory_of) {
    PhasedTraffic traffic(epochs);
    for (std::size_t row = 0; row < pages.rows.size(); ++row)
      traffic.add(epochs.of(row), memory_of(row));
    return DrawnTraffic{traffic, &phases};
  };
  const PredictedTime time(machine, places.nodes);
  const DrawnTraffic first = all_on([](std::size_t) { return std::size_t{0}; });
  const DrawnTraffic own = all_on([&](std::size_t row) {
    return static_cast<std::size_t>(places.nodes_of_threads[pages.rows[row].first_touch]);
  });
  const Gain gain = gain_of(time, first, own);
  EXPECT_TRUE(gain.is_reliable()) << gain.in_words();
  EXPECT_GT(gain.low, 0.5);
  EXPECT_LE(gain.low, gain.middle);
  EXPECT_LE(gain.middle, gain.high);
  const Gain none = gain_of(time, first, first);
  EXPECT_FALSE(none.is_reliable());
  EXPECT_EQ(none.middle, 0);
  EXPECT_FALSE(gain_of(time, own, first).is_reliable());
}

}  // namespace
}  // namespace Atoll::profile
