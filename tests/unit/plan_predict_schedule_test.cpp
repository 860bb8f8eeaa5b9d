// Predicted gain of schedules in known cases: shuffled or ordered meshes, smaller or much larger
// than the cache, with and without packing.
#include "atoll/plan/predict_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "atoll/base/error.hpp"
#include "atoll/plan/schedule_tasks.hpp"

namespace Atoll {
namespace {

const Machine& xeon() {
  static const Machine machine = Machine::open("xeon-x7550");  // a machine of four sockets
  return machine;
}

/// Returns a square grid as tasks: each task is an edge and uses both of its nodes. Edges and nodes
/// are numbered row by row, or randomly if `shuffled`.
TaskLocations edges_of_grid(std::uint32_t side, bool shuffled) {
  std::vector<std::uint32_t> name(std::size_t{side} * side);
  std::iota(name.begin(), name.end(), 0U);
  std::mt19937_64 random(5);
  if (shuffled) std::ranges::shuffle(name, random);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t at = 0; at < name.size(); ++at) {
    if (at % side + 1 < side) edges.emplace_back(name[at], name[at + 1]);
    if (at + side < name.size()) edges.emplace_back(name[at], name[at + side]);
  }
  if (shuffled) std::ranges::shuffle(edges, random);
  TaskLocations tasks;
  tasks.location_count = static_cast<std::uint32_t>(name.size());
  for (const auto& [from, to] : edges) {
    tasks.locations.insert(tasks.locations.end(), {from, to});
    tasks.begin.push_back(tasks.locations.size());
  }
  return tasks;
}

SchedulePrediction predicted(const TaskLocations& tasks, int threads,
                             const PredictOptions& options) {
  const ThreadPlaces places = spread_places(xeon(), threads);
  const Schedule schedule = schedule_tasks(tasks, xeon(), places);
  return predict_schedule(tasks, schedule.loops.front(), schedule.places, xeon(), options);
}

TEST(PredictSchedule, PackingAShuffledMeshPays) {
  const SchedulePrediction found =
      predicted(edges_of_grid(500, true), 4, {.packs = true, .own_bytes = 8});
  EXPECT_LT(found.ratio(), 0.6);
  EXPECT_GT(found.prepare_seconds, 0);
  ASSERT_TRUE(found.pays_after());
  EXPECT_GE(*found.pays_after(), 1U);
  EXPECT_LT(*found.pays_after(), 10U);
}

TEST(PredictSchedule, AMeshInOrderIsLeftAlone) {
  const SchedulePrediction found =
      predicted(edges_of_grid(500, false), 4, {.packs = true, .own_bytes = 8});
  EXPECT_FALSE(found.pays());
  EXPECT_EQ(found.pays_after(), std::nullopt);
  EXPECT_LT(found.ratio(), 1.3);
}

TEST(PredictSchedule, AnIndexListAloneIsSlowerWhereTasksShareLittle) {
  // Edges between random nodes. In any order, few adjacent tasks share nodes.
  std::mt19937_64 random(7);
  TaskLocations tasks;
  tasks.location_count = 300'000;
  for (int edge = 0; edge < 600'000; ++edge) {
    for (int end = 0; end < 2; ++end)
      tasks.locations.push_back(static_cast<std::uint32_t>(random() % tasks.location_count));
    tasks.begin.push_back(tasks.locations.size());
  }
  const SchedulePrediction alone = predicted(tasks, 2, {.own_bytes = 8});
  EXPECT_GT(alone.ratio(), 1.05);
  EXPECT_FALSE(alone.pays());
  EXPECT_EQ(alone.prepare_seconds, 0);
  EXPECT_LT(predicted(tasks, 2, {.packs = true, .own_bytes = 8}).ratio(), alone.ratio());
}

TEST(PredictSchedule, WhatFitsTheCacheGainsLittle) {
  const SchedulePrediction found = predicted(edges_of_grid(60, true), 1, {.own_bytes = 8});
  EXPECT_FALSE(found.pays());
}

TEST(PredictSchedule, FarMissesCostMore) {
  // Two threads on two sockets. With equal parts, each thread uses data that the other one touched
  // first.
  const ThreadPlaces places = spread_places(xeon(), 2);
  ASSERT_NE(places[0].node, places[1].node);
  constexpr std::uint32_t kHalf = 400'000;
  TaskLocations tasks;
  tasks.location_count = kHalf;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t location = 0; location < kHalf; ++location) {
      tasks.locations.push_back(location);
      tasks.begin.push_back(tasks.locations.size());
    }
  // One thread runs both tasks of a location, one directly after the other.
  ScheduledLoop near{"near", 2 * kHalf, 1, 0, {0, kHalf, 2 * kHalf}, {}};
  for (std::uint32_t location = 0; location < kHalf; ++location)
    near.tasks.insert(near.tasks.end(), {location, location + kHalf});
  const SchedulePrediction found =
      predict_schedule(tasks, near, {places.begin(), places.end()}, xeon(), {.packs = true});
  EXPECT_LT(found.ratio(), 0.8);
}

TEST(PredictSchedule, SizesOfLocationsCount) {
  const TaskLocations tasks = edges_of_grid(300, true);
  const std::vector<std::uint32_t> sizes(tasks.location_count, 8);  // each location fills a line
  const auto words = predicted(tasks, 2, {.packs = true});
  const auto lines = predicted(tasks, 2, {.packs = true, .location_sizes = sizes});
  EXPECT_GT(lines.followed_seconds, words.followed_seconds);
  EXPECT_GT(lines.prepare_seconds, words.prepare_seconds);
}

TEST(PredictSchedule, NothingIsWorthNothing) {
  const TaskLocations none{{0, 0, 0}, {}, 0};
  const SchedulePrediction found = predicted(none, 2, {});
  EXPECT_EQ(found.ratio(), 1);
  EXPECT_EQ(found.pays_after(), std::nullopt);
  EXPECT_FALSE(predicted({}, 2, {.packs = true}).pays());
}

TEST(PredictSchedule, GainsPayFromTwoPercentAndAMicrosecondOn) {
  const auto pays = [](double plain, double followed) {
    return SchedulePrediction{.plain_seconds = plain, .followed_seconds = followed}.pays();
  };
  EXPECT_TRUE(pays(1e-3, 0.9e-3));
  EXPECT_FALSE(pays(1e-3, 0.985e-3));
  EXPECT_FALSE(pays(1e-6, 0.1e-6));
}

TEST(PredictSchedule, PrivateCopiesOfWhatSeveralThreadsUseCost) {
  const TaskLocations tasks = edges_of_grid(200, true);
  const auto without = predicted(tasks, 2, {.packs = true});
  const auto with = predicted(tasks, 2, {.packs = true, .added_bytes = 8});
  const double plain = with.plain_seconds - without.plain_seconds,
               packed = with.followed_seconds - without.followed_seconds;
  EXPECT_GT(plain, 0);
  EXPECT_GT(packed, 0);
  // The two threads share few nodes, but each of the 2 x 79,600 additions tests for a shared node.
  EXPECT_LT(packed, plain / 10 + 79'600 * 0.1e-9);
  const auto alone = predicted(tasks, 1, {.packs = true, .added_bytes = 8});
  EXPECT_EQ(alone.plain_seconds, predicted(tasks, 1, {.packs = true}).plain_seconds);
}

TEST(PredictSchedule, TasksOfOneLengthAfterTheOtherAreFaster) {
  // Alternating rows of 2 and 5 entries in adjacent columns. The schedule groups rows of equal
  // length. All data are cached and packed, so accesses are sequential.
  TaskLocations tasks;
  tasks.location_count = 2'000;
  for (std::uint32_t row = 0; row < 1'000; ++row) {
    for (std::uint32_t entry = 0; entry < (row % 2 == 0 ? 2U : 5U); ++entry)
      tasks.locations.push_back((2 * row + entry) % tasks.location_count);
    tasks.begin.push_back(tasks.locations.size());
  }
  ScheduledLoop equal{"rows", 1'000, 1, 0, {0, 1'000}, {}}, in_turn = equal;
  for (std::uint32_t row = 0; row < 1'000; ++row) {
    equal.tasks.push_back(row < 500 ? 2 * row : 2 * (row - 500) + 1);
    in_turn.tasks.push_back(row);
  }
  const ThreadPlaces places = spread_places(xeon(), 1);
  const auto ratio = [&](const ScheduledLoop& loop) {
    return predict_schedule(tasks, loop, {places.begin(), places.end()}, xeon(), {.packs = true})
        .ratio();
  };
  EXPECT_NEAR(ratio(in_turn), 1, 0.01);
  EXPECT_LT(ratio(equal), 0.95);
}

TEST(PredictSchedule, WhatTasksComputeIsTheSlowestThreadsSum) {
  // Eight tasks without shared data. Each of the first four takes three times as long as one of the
  // others.
  TaskLocations tasks{{0}, {}, 8};
  for (std::uint32_t task = 0; task < 8; ++task) {
    tasks.locations.push_back(task);
    tasks.begin.push_back(tasks.locations.size());
  }
  const std::vector<float> seconds{3, 3, 3, 3, 1, 1, 1, 1};
  const ThreadPlaces places = spread_places(xeon(), 2);
  const auto predict = [&](const std::vector<std::uint32_t>& order, std::span<const float> each) {
    const ScheduledLoop loop{"tasks", 8, 1, 0, {0, 4, 8}, order};
    return predict_schedule(tasks, loop, places, xeon(), {.task_seconds = each});
  };
  const std::vector<std::uint32_t> in_order{0, 1, 2, 3, 4, 5, 6, 7}, dealt{0, 2, 4, 6, 1, 3, 5, 7};
  EXPECT_NEAR(predict(in_order, seconds).ratio(), 1, 1e-6);
  EXPECT_NEAR(predict(dealt, seconds).ratio(), 8.0 / 12, 1e-3);
  EXPECT_NEAR(predict(dealt, seconds).plain_seconds, 12, 1e-3);
  EXPECT_THROW((void)predict(dealt, std::span(seconds).first(7)), Error);
}

TEST(PredictSchedule, PackingPaysWithinTheSecondLevelCacheToo) {
  // The nodes take 128 KB: four times the first-level cache, half of the second-level cache.
  const TaskLocations tasks = edges_of_grid(90, true);
  ASSERT_EQ(xeon().caches().l2_bytes, 256U << 10);
  const PredictOptions options{.packs = true, .location_bytes = 16, .own_bytes = 8};
  EXPECT_LT(predicted(tasks, 1, options).ratio(), 0.6);
}

/// Each task reads four consecutive words of its own and one word of a small table. The schedule
/// jumps between tasks.
struct OwnRows {
  static constexpr std::uint32_t kTasks = 20'000, kTable = 64;
  TaskLocations tasks;
  std::vector<std::uint32_t> sizes;
  ScheduledLoop jumping{"rows", kTasks, 1, 0, {0, kTasks}, {}};

  OwnRows() : sizes(kTable, 1) {
    for (std::uint32_t task = 0; task < kTasks; ++task) {
      tasks.locations.insert(tasks.locations.end(), {task % kTable, kTable + task});
      tasks.begin.push_back(tasks.locations.size());
      sizes.push_back(4);
      jumping.tasks.push_back(task % 2 == 0 ? task / 2 : kTasks / 2 + task / 2);
    }
    tasks.location_count = kTable + kTasks;
  }
  [[nodiscard]] SchedulePrediction predicted(bool packs) const {
    const ThreadPlaces places = spread_places(xeon(), 1);
    return predict_schedule(tasks, jumping, {places.begin(), places.end()}, xeon(),
                            {.packs = packs, .location_sizes = sizes, .streamed_bytes = 0});
  }
};

TEST(PredictSchedule, AnOrderThatJumpsThroughDataIsNotFollowed) {
  EXPECT_GT(OwnRows().predicted(false).ratio(), 1.5);
}

TEST(PredictSchedule, WhatTasksUseAloneCountsInBothWays) {
  // If these words are packed in the schedule's order, they are again read sequentially.
  EXPECT_NEAR(OwnRows().predicted(true).ratio(), 1, 0.1);
}

TEST(PredictSchedule, StreamsLeaveTheCachesGradually) {
  // From half of the cache size to twice the cache size, successive predictions differ little.
  const double cache = static_cast<double>(xeon().caches().l3_bytes) / xeon().caches().l3_shared_by;
  double last = 0;
  for (double share = 0.4; share < 2.2; share += 0.1) {
    TaskLocations tasks;
    tasks.location_count = 1;
    constexpr std::uint32_t kTasks = 1'000;
    for (std::uint32_t task = 0; task < kTasks; ++task) {
      tasks.locations.push_back(0);
      tasks.begin.push_back(tasks.locations.size());
    }
    const double seconds =
        predicted(tasks, 1, {.streamed_bytes = share * cache / kTasks}).plain_seconds / share;
    if (last > 0) {
      EXPECT_LT(seconds, 1.2 * last) << share;
      EXPECT_GE(seconds, 0.99 * last) << share;
    }
    last = seconds;
  }
}

TEST(PredictSchedule, WrongInputIsRefused) {
  const TaskLocations tasks = edges_of_grid(3, false);
  const ThreadPlaces places = spread_places(xeon(), 1);
  const ScheduledLoop loop{"short", 2, 1, 0, {0, 2}, {0, 1}};
  const std::vector<ThreadPlace> listed(places.begin(), places.end());
  EXPECT_THROW(static_cast<void>(predict_schedule(tasks, loop, listed, xeon())), Error);
  const Schedule schedule = schedule_tasks(tasks, xeon(), places);
  const std::vector<std::uint32_t> sizes(3, 1);
  EXPECT_THROW(static_cast<void>(predict_schedule(tasks, schedule.loops.front(), listed, xeon(),
                                                  {.location_sizes = sizes})),
               Error);
}

}  // namespace
}  // namespace Atoll
