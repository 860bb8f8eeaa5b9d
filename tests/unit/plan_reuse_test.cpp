// Estimated cache misses, compared with a simple LRU cache.
#include "atoll/plan/reuse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <numeric>
#include <random>

namespace Atoll {
namespace {

double plain_misses(const TaskLocations& tasks, const std::vector<std::uint32_t>& order,
                    const std::vector<std::uint32_t>& place_of, std::uint64_t bytes,
                    std::uint64_t line, std::size_t slots) {
  std::list<std::uint64_t> cache;
  double misses = 0;
  for (const std::uint32_t task : order)
    for (std::uint64_t i = tasks.begin[task]; i < tasks.begin[task + 1]; ++i) {
      const std::uint64_t place =
          place_of.empty() ? tasks.locations[i] : place_of[tasks.locations[i]];
      const std::uint64_t wanted = place * bytes / line;
      const auto found = std::find(cache.begin(), cache.end(), wanted);
      if (found == cache.end()) {
        ++misses;
        if (cache.size() == slots) cache.pop_back();
      } else {
        cache.erase(found);
      }
      cache.push_front(wanted);
    }
  return misses;
}

TaskLocations random_tasks(std::mt19937_64& random, std::size_t count, std::uint32_t locations,
                           std::uint32_t window) {
  TaskLocations tasks;
  tasks.location_count = locations;
  for (std::size_t task = 0; task < count; ++task) {
    const auto base = static_cast<std::uint32_t>(task * locations / count);
    for (std::uint64_t i = random() % 12; i-- > 0;)
      tasks.locations.push_back((base + static_cast<std::uint32_t>(random() % window)) % locations);
    tasks.begin.push_back(tasks.locations.size());
  }
  return tasks;
}

std::vector<std::uint32_t> shuffled(std::mt19937_64& random, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// Returns one task that accesses `lines` lines in sequence. Each line is one location.
TaskLocations walk(std::uint32_t lines) {
  TaskLocations tasks;
  tasks.location_count = lines;
  for (std::uint32_t line = 0; line < lines; ++line) tasks.locations.push_back(line);
  tasks.begin.push_back(lines);
  return tasks;
}

TEST(Reuse, AWarmCacheMissesWhatDoesNotFit) {
  ReuseCaches caches{.cache_bytes = 64 * 100, .are_warm = true};
  const std::vector<std::uint32_t> order{0};
  EXPECT_EQ(estimate_reuse(walk(100), order, 64, caches).line_misses, 0);
  EXPECT_EQ(estimate_reuse(walk(101), order, 64, caches).line_misses, 101);
  caches.are_warm = false;
  EXPECT_EQ(estimate_reuse(walk(100), order, 64, caches).line_misses, 100);
}

TEST(Reuse, WhatStreamsByTakesRoomInTheCache) {
  // Every second access streams a line, so 66 of 100 cache slots hold locations.
  ReuseCaches caches{.cache_bytes = 64 * 100, .streamed_bytes = 32, .are_warm = true};
  const std::vector<std::uint32_t> order{0};
  EXPECT_EQ(estimate_reuse(walk(66), order, 64, caches).line_misses, 0);
  EXPECT_EQ(estimate_reuse(walk(68), order, 64, caches).line_misses, 68);
}

TEST(Reuse, EqualsAnLruCacheOnSmallInputs) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    const TaskLocations tasks =
        random_tasks(random, 1 + random() % 300, 1 + static_cast<std::uint32_t>(random() % 5000),
                     1 + static_cast<std::uint32_t>(random() % 3000));
    const auto order = shuffled(random, tasks.tasks());
    const auto places =
        round % 2 == 0 ? std::vector<std::uint32_t>{} : shuffled(random, tasks.location_count);
    const ReuseCaches caches{.line_bytes = 64,
                             .cache_bytes = 64 * (1 + random() % 200),
                             .tlb_entries = 1 + random() % 8,
                             .page_bytes = 4096};
    const ReuseEstimate estimate = estimate_reuse(tasks, order, 8, caches, {places, {}});
    EXPECT_EQ(estimate.line_misses,
              plain_misses(tasks, order, places, 8, 64, caches.cache_bytes / 64));
    EXPECT_EQ(estimate.tlb_misses, plain_misses(tasks, order, places, 8, 4096, caches.tlb_entries));
  }
}

TEST(Reuse, OfManyAccessesASampleIsNearTheWhole) {
  std::mt19937_64 random(2);
  constexpr std::uint32_t kLocations = 400'000;
  TaskLocations tasks;
  tasks.location_count = kLocations;
  for (std::uint32_t task = 0; task < 1'000'000; ++task) {  // some near, some random
    for (int i = 0; i < 9; ++i)
      tasks.locations.push_back(static_cast<std::uint32_t>(
          i < 6 ? (task + random() % 1000) % kLocations : random() % kLocations));
    tasks.begin.push_back(tasks.locations.size());
  }
  std::vector<std::uint32_t> order(tasks.tasks());
  std::iota(order.begin(), order.end(), 0U);
  const ReuseCaches caches{.line_bytes = 64, .cache_bytes = 1 << 20, .tlb_entries = 0};
  const ReuseEstimate sampled = estimate_reuse(tasks, order, 8, caches);
  // The same accesses in parts that are too small to be sampled. The parts have additional misses:
  // the first access of a part to a line that the previous part loaded. These are at most one cache
  // size per part.
  double whole = 0;
  const std::size_t part = tasks.tasks() / 4;
  for (std::size_t first = 0; first < tasks.tasks(); first += part)
    whole += estimate_reuse(tasks, std::span(order).subspan(first, part), 8, caches).line_misses;
  const double cache_lines = (1 << 20) / 64;
  EXPECT_LT(sampled.line_misses, whole * 1.03);
  EXPECT_GT(sampled.line_misses, (whole - 3 * cache_lines) * 0.97);
}

TEST(Reuse, WithoutACacheNothingIsEstimated) {
  TaskLocations tasks{.begin = {0, 2}, .locations = {0, 1}, .location_count = 2};
  const std::vector<std::uint32_t> order{0};
  EXPECT_EQ(estimate_reuse(tasks, order, 8, {}), ReuseEstimate{});
  EXPECT_EQ(estimate_reuse({}, {}, 8, {.cache_bytes = 4096}), ReuseEstimate{});
  // A location of two lines is loaded as a whole.
  EXPECT_EQ(estimate_reuse(tasks, order, 128, {.cache_bytes = 4096}).line_misses, 4);
}

TEST(Reuse, LargeLocationsTakeAllOfTheirLines) {
  const TaskLocations tasks{{0, 2, 3}, {0, 1, 0}, 2};
  const std::vector<std::uint32_t> order{0, 1}, sizes{20, 4}, begins{4, 32};
  // Words 4 to 23 are in lines 0 to 2, words 32 to 35 in line 4.
  const ReuseEstimate found =
      estimate_reuse(tasks, order, 8, {.cache_bytes = 4096}, {begins, sizes});
  EXPECT_EQ(found.line_misses, 4);
  EXPECT_EQ(found.streamed_lines, 2);
  const ReuseEstimate tiny = estimate_reuse(tasks, order, 8, {.cache_bytes = 64}, {begins, sizes});
  EXPECT_EQ(tiny.line_misses, 7);
  EXPECT_EQ(tiny.streamed_lines, 4);
}

TEST(Reuse, WhatFollowsWhatWasUsedIsFetchedAhead) {
  // Each task uses its own line and a distant line.
  constexpr std::uint32_t kTasks = 4096;
  TaskLocations tasks;
  tasks.location_count = 3 * kTasks;
  std::vector<std::uint32_t> order(kTasks);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937_64 random(3);
  for (std::uint32_t task = 0; task < kTasks; ++task) {
    tasks.locations.insert(tasks.locations.end(),
                           {task, kTasks + static_cast<std::uint32_t>(random() % (2 * kTasks))});
    tasks.begin.push_back(tasks.locations.size());
  }
  const ReuseCaches caches{.cache_bytes = 64 * 128};
  const ReuseEstimate in_order = estimate_reuse(tasks, order, 64, caches);
  EXPECT_NEAR(in_order.streamed_lines, kTasks, kTasks / 16);
  EXPECT_GT(in_order.line_misses, 1.9 * kTasks);
  std::ranges::shuffle(order, random);
  const ReuseEstimate shuffled = estimate_reuse(tasks, order, 64, caches);
  EXPECT_LT(shuffled.streamed_lines, kTasks / 16);
  EXPECT_GT(shuffled.line_misses, 1.9 * kTasks);
}

}  // namespace
}  // namespace Atoll
