// Conversion of recorded tasks to locations, compared with sets of all words. Also locations that
// are dropped, and locations that several tasks write.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "atoll/affinity/recorded_tasks.hpp"
#include "atoll/affinity/schedule_recorded.hpp"

namespace Atoll::affinity {
namespace {

using recording::LineUse;
using recording::ObjectKind;
using recording::ObjectLines;

/// Maps the number of a unit (word, line or page) to the tasks that use the unit.
using Users = std::map<std::uint64_t, std::set<std::uint32_t>>;

LineUse use(std::uint64_t line, std::uint8_t words, bool written = false) {
  if (written) return {.line = line, .read = 0, .written = words};
  return {.line = line, .read = words, .written = 0};
}

void tell(RecordTasks& tasks, std::uint64_t number, const std::vector<LineUse>& lines,
          std::uint32_t thread = 0) {
  tasks.task({.process = 0, .thread = thread, .loop = "rows", .number = number, .lines = lines});
}

/// Merges adjacent units with equal sets of users into ranges. Returns each range's set of users
/// and its number of units.
std::multiset<std::pair<std::set<std::uint32_t>, std::uint32_t>> joined(const Users& users) {
  std::multiset<std::pair<std::set<std::uint32_t>, std::uint32_t>> ranges;
  for (auto at = users.begin(); at != users.end();) {
    auto end = at;
    std::uint32_t units = 0;
    while (end != users.end() && end->second == at->second && end->first == at->first + units) {
      ++units;
      ++end;
    }
    ranges.emplace(at->second, units);
    at = end;
  }
  return ranges;
}

std::multiset<std::pair<std::set<std::uint32_t>, std::uint32_t>> of(const RecordedLoop& loop) {
  std::vector<std::set<std::uint32_t>> users(loop.uses.location_count);
  for (std::uint32_t task = 0; task < loop.uses.tasks(); ++task)
    for (std::uint64_t at = loop.uses.begin[task]; at < loop.uses.begin[task + 1]; ++at)
      EXPECT_TRUE(users[loop.uses.locations[at]].insert(task).second);
  std::multiset<std::pair<std::set<std::uint32_t>, std::uint32_t>> ranges;
  for (std::size_t i = 0; i < users.size(); ++i) ranges.emplace(users[i], loop.sizes[i]);
  return ranges;
}

class RandomTasks : public testing::TestWithParam<LocationSize> {};

TEST_P(RandomTasks, LocationsAreWhatSetsOfUsersSay) {
  const std::uint64_t words_of_unit = GetParam() == LocationSize::word   ? 1
                                      : GetParam() == LocationSize::line ? 8
                                                                         : 512;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    RecordTasks recorded({.by = GetParam()});
    Users users;
    for (int i = 0; i < 300; ++i) {
      const auto task = static_cast<std::uint32_t>(random() % 100);
      std::vector<LineUse> lines;
      for (std::size_t k = random() % 10; k != 0; --k) {
        const std::uint64_t line = 1000 + random() % 200;
        const auto words = static_cast<std::uint8_t>(random() % 4 == 0 ? 0xff : random() % 255 + 1);
        lines.push_back(use(line, words));
        for (std::uint64_t word = 0; word < 8; ++word)
          if ((words >> word & 1) != 0) users[(line * 8 + word) / words_of_unit].insert(task);
      }
      tell(recorded, task, lines, i % 3);
    }
    recorded.end({});
    const std::vector<RecordedLoop> loops = recorded.take();
    ASSERT_EQ(loops.size(), 1U);
    check(loops[0].uses, "recorded");
    EXPECT_EQ(of(loops[0]), joined(users));
    EXPECT_EQ(loops[0].weights, loops[0].sizes);
  }
}
INSTANTIATE_TEST_SUITE_P(By, RandomTasks,
                         testing::Values(LocationSize::word, LocationSize::line,
                                         LocationSize::page));

TEST(AffinityTasks, WhatIsWrittenMayCountMore) {
  // Lines 10 and 11 have the same users, but only line 11 is written. Only task 0 uses line 12.
  const auto told = [](RecordTasks& recorded) {
    tell(recorded, 0, {use(10, 0xff), use(11, 0xff), use(12, 1, true)});
    tell(recorded, 1, {use(10, 0xff), use(11, 0xff, true)});
    recorded.end({});
    return recorded.take().at(0);
  };
  RecordTasks equal, more({.write_weight = 5});
  const RecordedLoop plain = told(equal), weighted = told(more);
  EXPECT_THAT(plain.sizes, testing::ElementsAre(16, 1));
  EXPECT_THAT(plain.weights, testing::ElementsAre(16, 1));
  EXPECT_THAT(weighted.sizes, testing::ElementsAre(8, 8, 1));
  EXPECT_THAT(weighted.weights, testing::ElementsAre(8, 40, 5));
  EXPECT_EQ(share_recorded(plain, {.dense_ratio = 1}).weights,
            (std::vector<std::uint32_t>{16, 16}));
  const AffinityGraph graph = share_recorded(weighted, {.dense_ratio = 1});
  EXPECT_EQ(graph.weights, (std::vector<std::uint32_t>{48, 48}));
  EXPECT_EQ(graph.vertex_weights, (std::vector<std::uint32_t>{17, 16}));  // work = words used
}

TEST(AffinityTasks, WhatIsUpdatedAtomicallyIsSharedAndNoDependence) {
  RecordTasks recorded({.write_weight = 3});
  // Word 0: both tasks update it atomically, and one of them also reads it. Word 1: one task
  // updates, the other writes. Word 2: both write, and one also updates. Word 3: both write and
  // update, in separate reports. Word 4: both read, and later update.
  tell(recorded, 0, {{.line = 64, .read = 0b10001, .written = 0b1100, .atomic = 0b00111}});
  tell(recorded, 1, {{.line = 64, .read = 0b00000, .written = 0b0110, .atomic = 0b11001}});
  tell(recorded, 0, {{.line = 64, .read = 0b01000, .written = 0b0000, .atomic = 0b11000}});
  tell(recorded, 1, {{.line = 64, .read = 0b10000, .written = 0b1000, .atomic = 0b00000}});
  recording::Recording all;
  all.objects.resize(1);
  all.objects[0].kind = ObjectKind::heap;
  const std::vector<ObjectLines> first{{0, 0, 64, 0xff}};
  recorded.page({.process = 0, .page = 1, .threads = {}, .objects = first});
  recorded.end(all);
  const RecordedLoop loop = recorded.take().at(0);
  EXPECT_THAT(loop.written, testing::ElementsAre(ObjectWords{0, 2}));
  EXPECT_THAT(of(loop), testing::ElementsAre(std::pair(std::set<std::uint32_t>{0, 1}, 5U)));
  EXPECT_THAT(loop.weights, testing::ElementsAre(15U));  // 5 written words of weight 3
}

TEST(AffinityTasks, WordsOfArraysIndexedByTheTaskAreNotShared) {
  // Tasks 2k and 2k + 1 use one int each of word k after line 100. Word k after line 200 is used by
  // tasks k and k + 1, word k after line 300 by tasks 4k to 4k + 3.
  RecordTasks recorded;
  for (std::uint32_t task = 0; task < 64; ++task) {
    const auto word = [&](std::uint64_t line, std::uint64_t index) {
      return use(line + index / 8, static_cast<std::uint8_t>(1U << (index % 8)));
    };
    tell(recorded, task, {word(100, task / 2), word(200, task), word(300, task / 4)});
    if (task > 0) tell(recorded, task, {word(200, task - 1)});
  }
  recorded.end({});
  const RecordedLoop loop = recorded.take().at(0);
  const AffinityGraph graph = share_recorded(loop);
  EXPECT_EQ(graph.edges(), 63U);  // only words shared by two adjacent tasks give edges
  for (std::uint32_t task = 0; task + 1 < 64; ++task)
    EXPECT_EQ(graph.neighbours[graph.begin[task + 1] - 1], task + 1);
}

TEST(AffinityTasks, ALoopThatRunsAgainNeedsNoMoreMemory) {
  // Memory for 100 lines.
  RecordTasks recorded({.memory_bytes = 3200});
  for (int run = 0; run < 50; ++run)
    for (std::uint32_t task = 0; task < 30; ++task)
      tell(recorded, task, {use(task, 1, run == 7), use(task + 1, 1)});
  recorded.end({});
  const RecordedLoop loop = recorded.take().at(0);
  EXPECT_EQ(loop.lines, 3000U);
  EXPECT_EQ(loop.lost_lines, 0U);
  EXPECT_EQ(loop.uses.tasks(), 30U);
  EXPECT_EQ(loop.uses.locations.size(), 60U);
}

TEST(AffinityTasks, StacksDoNotCountAndWhatSeveralTasksWriteIsTold) {
  RecordTasks recorded;
  // In line 66, each of the two tasks reads what the other one writes.
  tell(recorded, 0, {use(64, 0xff), use(65, 0b11, true), {66, 0b01, 0b10}, use(130, 1, true)});
  tell(recorded, 1, {use(64, 0xff), use(65, 0b110, true), {66, 0b10, 0b01}, use(130, 1)});
  tell(recorded, 2, {use(65, 0b1000, true)});
  recording::Recording all;
  all.objects.resize(3);
  all.objects[0].kind = ObjectKind::stack;
  all.objects[1].kind = all.objects[2].kind = ObjectKind::heap;
  const std::vector<ObjectLines> first{{0, 0, 1, 0xff}, {1, 1, 2, 0xff}};
  const std::vector<ObjectLines> second{{2, 0, 64, 0xff}};
  recorded.page({.process = 0, .page = 1, .threads = {}, .objects = first});
  recorded.page({.process = 0, .page = 2, .threads = {}, .objects = second});
  recorded.end(all);
  const RecordedLoop loop = recorded.take().at(0);
  EXPECT_EQ(loop.own_lines, 2U);
  // Locations: in line 65, word 0 (task 0), word 1 (tasks 0 and 1), word 2 (task 1) and word 3
  // (task 2); lines 66 and 130, whose words tasks 0 and 1 use.
  EXPECT_EQ(loop.uses.location_count, 6U);
  EXPECT_THAT(loop.written, testing::ElementsAre(ObjectWords{1, 1}));
}

TEST(AffinityTasks, ALoopIsAsTheProgramToldUnlessItsTasksSayOtherwise) {
  const auto recorded = [](std::uint64_t iterations, std::uint64_t chunk) {
    RecordTasks tasks;
    tell(tasks, 4, {use(1, 1)});
    recording::Recording all;
    all.task_loops = {{"rows", iterations, chunk, 77}};
    tasks.end(all);
    return tasks.take().at(0);
  };
  EXPECT_EQ(recorded(65, 10).uses.tasks(), 7U);
  EXPECT_EQ(recorded(65, 10).chunk, 10U);
  EXPECT_EQ(recorded(65, 10).fingerprint, 77U);
  EXPECT_EQ(recorded(40, 10).uses.tasks(), 5U);  // task 4 is absent
  EXPECT_EQ(recorded(40, 10).iterations, 5U);
  EXPECT_EQ(recorded(0, 0).uses.tasks(), 5U);
}

TEST(AffinityTasks, LimitsAreKeptAndLossesCounted) {
  RecordTasks few({.lines_of_task = 3});
  tell(few, 5, {use(1, 1), use(2, 1)});
  tell(few, 5, {use(3, 1), use(4, 1)});  // further lines of the same task
  tell(few, 6, {use(1, 1)});
  const RecordedLoop loop = few.take().at(0);
  EXPECT_EQ(loop.lines, 5U);
  EXPECT_EQ(loop.lost_lines, 1U);
  EXPECT_EQ(loop.uses.begin, (std::vector<std::uint64_t>{0, 0, 0, 0, 0, 0, 3, 4}));

  RecordTasks small({.memory_bytes = 32 * 10});
  for (std::uint64_t task = 0; task < 20; ++task) tell(small, task, {use(task, 1)});
  EXPECT_EQ(small.take().at(0).lost_lines, 10U);

  RecordTasks strange;
  tell(strange, 0xffff'ffff'ffff'ffff >> 8, {use(1, 1)});
  EXPECT_EQ(strange.take().at(0).tasks_without_number, 1U);
}

}  // namespace
}  // namespace Atoll::affinity
