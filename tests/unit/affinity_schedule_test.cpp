// Schedules from recorded tasks: tasks that share data are assigned to one place, and the resulting
// file is correct.
#include <gtest/gtest.h>

#include <set>

#include "atoll/affinity/schedule_recorded.hpp"

namespace Atoll::affinity {
namespace {

/// Returns 8 tasks of two families. Each task uses its own line and a line that its family shares;
/// even tasks are one family, odd tasks the other one.
std::vector<RecordedLoop> two_families() {
  RecordTasks recorded;
  for (std::uint64_t task = 0; task < 8; ++task) {
    const std::vector<recording::LineUse> lines{{100 + task, 0xff, 0}, {200 + task % 2, 0xff, 0}};
    recorded.task({.process = 0, .thread = 0, .loop = "rows", .number = task, .lines = lines});
  }
  recorded.task({.process = 0, .thread = 0, .loop = "alone", .number = 0, .lines = {}});
  recording::Recording all;
  all.task_loops = {{"rows", 80, 10, 5}};
  recorded.end(all);
  return recorded.take();
}

TEST(AffinitySchedule, TasksThatShareRunOnOneNode) {
  const Machine machine = Machine::open("pack:2 core:2 pu:1");
  const ThreadPlaces threads = spread_places(machine, 2);
  const ScheduledProgram program = schedule_recorded(two_families(), machine, threads);
  check(program.schedule, "it");
  ASSERT_EQ(program.schedule.loops.size(), 2U);
  const ScheduledLoop& rows = program.schedule.loops[0];
  EXPECT_EQ(rows.name, "rows");
  EXPECT_EQ(rows.iterations, 80U);
  EXPECT_EQ(rows.chunk, 10U);
  EXPECT_EQ(rows.fingerprint, 5U);
  for (std::size_t thread = 0; thread < 2; ++thread) {
    std::set<std::uint32_t> families;
    for (const std::uint32_t task : rows.of(thread)) families.insert(task % 2);
    EXPECT_EQ(families.size(), 1U);
    EXPECT_EQ(rows.of(thread).size(), 4U);
  }
  // Each family has 6 pairs of tasks, which share 8 words.
  EXPECT_EQ(program.reports[0].weight, 2 * 6 * 8U);
  EXPECT_EQ(program.reports[0].after.front().weight, 0U);
  EXPECT_GT(program.reports[0].before.front().weight, 0U);
}

}  // namespace
}  // namespace Atoll::affinity
