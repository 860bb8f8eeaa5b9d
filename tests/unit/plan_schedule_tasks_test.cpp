// Schedules of tasks [affinity §3.1]: balanced permutations in which tasks that share data are
// close. Equal for the same seed.
#include "atoll/plan/schedule_tasks.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "atoll/base/error.hpp"
#include "atoll/plan/affinity_graph_text.hpp"
#include "plan_affinity_graphs.hpp"
#include "temporary_folder.hpp"

namespace Atoll {
namespace {

/// Returns a mesh in random order: each task is a node that uses its own location and its
/// neighbours'.
TaskLocations shuffled_mesh(std::uint32_t width, std::uint32_t height) {
  const AffinityGraph grid = grid_graph(width, height);
  const auto count = static_cast<std::uint32_t>(grid.vertices());
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(31);
  std::shuffle(order.begin(), order.end(), random);
  TaskLocations tasks;
  tasks.location_count = count;
  for (const std::uint32_t node : order) {
    tasks.locations.push_back(node);
    for (std::uint64_t at = grid.begin[node]; at < grid.begin[node + 1]; ++at)
      tasks.locations.push_back(grid.neighbours[at]);
    tasks.begin.push_back(tasks.locations.size());
  }
  return tasks;
}

std::uint64_t sum_of(const std::vector<WeightBetween>& between) {
  std::uint64_t sum = 0;
  for (const WeightBetween& level : between) sum += level.weight;
  return sum;
}

TEST(ScheduleTasks, KeepsTogetherWhatSharesInBothForms) {
  const Machine machine = Machine::open("opteron-8x8");
  const ThreadPlaces threads = spread_places(machine, 16);
  const TaskLocations tasks = shuffled_mesh(60, 50);
  for (const GraphForm form : {GraphForm::automatic, GraphForm::cliques, GraphForm::bipartite}) {
    ScheduleReport report;
    const ScheduleOptions options{.loop = "nodes", .fingerprint = 5, .form = form};
    const Schedule schedule = schedule_tasks(tasks, machine, threads, options, &report);
    ASSERT_NO_THROW(check(schedule, "schedule"));
    EXPECT_EQ(schedule.places.size(), 16U);
    const ScheduledLoop* const loop = schedule.find("nodes");
    ASSERT_NE(loop, nullptr);
    EXPECT_EQ(loop->fingerprint, 5U);
    for (std::size_t thread = 0; thread < 16; ++thread)
      EXPECT_NEAR(static_cast<double>(loop->of(thread).size()), 3000.0 / 16, 1);
    EXPECT_EQ(report.bipartite, form == GraphForm::bipartite);
    EXPECT_LT(sum_of(report.after), sum_of(report.before) / 3);
    EXPECT_LT(report.after.front().weight, report.before.front().weight / 5);
    EXPECT_LE(report.imbalance_after, 0.01);
    EXPECT_EQ(schedule_tasks(tasks, machine, threads, options), schedule);
  }
}

TEST(ScheduleTasks, AThreadsTasksFollowWhatTheyShare) {
  const Machine machine = Machine::open("opteron-8x8");
  const TaskLocations tasks = shuffled_mesh(40, 40);
  const Schedule schedule = schedule_tasks(tasks, machine, spread_places(machine, 1));
  const auto order = schedule.loops[0].of(0);
  // In breadth-first order, tasks that share data are at most two frontiers apart, plus a window if
  // tasks are interleaved. In order of creation, the average is a third of all tasks.
  const AffinityGraph graph = share_graph(tasks);
  std::vector<std::uint32_t> positions(order.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) positions[order[at]] = at;
  for (std::uint32_t task = 0; task < graph.vertices(); ++task)
    for (std::uint64_t at = graph.begin[task]; at < graph.begin[task + 1]; ++at)
      EXPECT_LT(std::abs(static_cast<double>(positions[task]) - positions[graph.neighbours[at]]),
                200 + 2 * 56);
  // Small tasks are interleaved, so few of them directly follow a task that they share data with.
  std::size_t waiting = 0;
  for (std::size_t at = 1; at < order.size(); ++at) {
    const auto begin = graph.neighbours.begin();
    const auto vertex = begin + static_cast<std::ptrdiff_t>(graph.begin[order[at]]),
               end = begin + static_cast<std::ptrdiff_t>(graph.begin[order[at] + 1]);
    waiting += std::find(vertex, end, order[at - 1]) != end ? 1 : 0;
  }
  EXPECT_LT(waiting, order.size() / 10);
}

TEST(ScheduleTasks, LargeTasksFollowRightAfterWhatTheyShareWith) {
  const Machine machine = Machine::open("opteron-8x8");
  // Task i shares half of its locations with task i + 1. The tasks are in random order.
  constexpr std::uint32_t kTasks = 200, kUses = 64;
  TaskLocations tasks;
  tasks.location_count = (kTasks + 1) * kUses / 2;
  std::vector<std::uint32_t> place(kTasks);
  std::iota(place.begin(), place.end(), 0U);
  std::shuffle(place.begin(), place.end(), std::mt19937(3));
  for (const std::uint32_t here : place) {
    for (std::uint32_t i = 0; i < kUses; ++i) tasks.locations.push_back(here * kUses / 2 + i);
    tasks.begin.push_back(tasks.locations.size());
  }
  const Schedule schedule = schedule_tasks(tasks, machine, spread_places(machine, 1));
  const auto order = schedule.loops[0].of(0);
  for (std::size_t at = 1; at < order.size(); ++at)
    EXPECT_EQ(std::abs(static_cast<int>(place[order[at]]) - static_cast<int>(place[order[at - 1]])),
              1);
}

TEST(ScheduleTasks, AnOrderThatNothingBeatsStays) {
  const Machine machine = Machine::open("opteron-8x8");
  AffinityGraph path;
  for (std::uint32_t v = 0; v < 100; ++v) {
    if (v > 0) path.neighbours.push_back(v - 1);
    if (v < 99) path.neighbours.push_back(v + 1);
    path.begin.push_back(path.neighbours.size());
  }
  path.weights.assign(path.neighbours.size(), 1);
  const Schedule schedule = schedule_graph(path, machine, spread_places(machine, 1));
  std::vector<std::uint32_t> created(100);
  std::iota(created.begin(), created.end(), 0U);
  EXPECT_EQ(schedule.loops[0].tasks, created);
}

TEST(ScheduleTasks, TasksKeepTheirOrderIfTheyAreToldTo) {
  const Machine machine = Machine::open("opteron-8x8");
  const ThreadPlaces threads = spread_places(machine, 4);
  const TaskLocations tasks = shuffled_mesh(40, 30);
  const ScheduledLoop loop = schedule_tasks(tasks, machine, threads, {.keep_order = true}).loops[0];
  for (std::size_t thread = 0; thread < threads.size(); ++thread)
    EXPECT_TRUE(std::is_sorted(loop.tasks.begin() + static_cast<long>(loop.begin[thread]),
                               loop.tasks.begin() + static_cast<long>(loop.begin[thread + 1])));
  const ScheduledLoop other = schedule_tasks(tasks, machine, threads).loops[0];
  EXPECT_FALSE(
      std::is_sorted(other.tasks.begin(), other.tasks.begin() + static_cast<long>(other.begin[1])));
}

TEST(ScheduleTasks, NoTaskOneTaskAndMoreThreadsThanTasks) {
  const Machine machine = Machine::open("opteron-8x8");
  const ThreadPlaces threads = spread_places(machine, 64);
  for (const std::size_t count : {0U, 1U, 5U}) {
    TaskLocations tasks;
    tasks.location_count = 1;
    for (std::size_t i = 0; i < count; ++i) {
      tasks.locations.push_back(0);
      tasks.begin.push_back(tasks.locations.size());
    }
    const Schedule schedule = schedule_tasks(tasks, machine, threads);
    ASSERT_NO_THROW(check(schedule, "schedule"));
    for (std::size_t thread = 0; thread < 64; ++thread)
      EXPECT_LE(schedule.loops[0].of(thread).size(), 1U);
  }
}

TEST(ScheduleTasks, WorkIsBalanced) {
  const Machine machine = Machine::open("opteron-8x8");
  const TaskLocations tasks = shuffled_mesh(40, 50);
  std::mt19937 random(37);
  std::vector<std::uint32_t> work(2000);
  for (auto& amount : work) amount = 1 + static_cast<std::uint32_t>(random()) % 20;
  for (const GraphForm form : {GraphForm::cliques, GraphForm::bipartite}) {
    ScheduleReport report;
    const Schedule schedule = schedule_tasks(tasks, machine, spread_places(machine, 8),
                                             {.work = work, .form = form}, &report);
    EXPECT_LE(report.imbalance_after, 0.01);
    for (std::size_t thread = 0; thread < 8; ++thread) {
      std::uint64_t sum = 0;
      for (const std::uint32_t task : schedule.loops[0].of(thread)) sum += work[task];
      EXPECT_NEAR(static_cast<double>(sum), std::accumulate(work.begin(), work.end(), 0) / 8.0,
                  std::accumulate(work.begin(), work.end(), 0) / 800.0);
    }
  }
}

TEST(ScheduleTasks, WhatDoesNotFitIsRefused) {
  const Machine machine = Machine::open("opteron-8x8");
  const ThreadPlaces threads = spread_places(machine, 4);
  const TaskLocations tasks = shuffled_mesh(4, 4);
  EXPECT_THROW((void)schedule_tasks(tasks, machine, threads, {.iterations = 40}), Error);
  EXPECT_THROW((void)schedule_tasks(tasks, machine, threads, {.chunk = 0}), Error);
  EXPECT_THROW((void)schedule_tasks(tasks, machine, threads, {.work = {1, 2}}), Error);
  EXPECT_THROW((void)schedule_tasks(tasks, machine, {}), Error);
  EXPECT_THROW((void)schedule_tasks({{0, 1}, {3}, 2}, machine, threads), Error);
  EXPECT_THROW((void)schedule_graph({{0, 1}, {0}, {1}, {}}, machine, threads), Error);
  const Schedule chunks = schedule_tasks(tasks, machine, threads, {.iterations = 31, .chunk = 2});
  EXPECT_NO_THROW(check(chunks, "chunks"));
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(AffinityGraphText, IsWhatGraphvizReads) {
  const TemporaryFolder folder;
  AffinityGraph graph{{0, 1, 3, 4, 4}, {1, 0, 2, 1}, {5, 5, 7, 7}, {}};
  const std::string path = folder / "graph";
  write_dot(graph, path);
  EXPECT_EQ(text_of(path),
            "graph affinity {\n  0;\n  0 -- 1 [weight=5];\n  1;\n  1 -- 2 [weight=7];\n  2;\n"
            "  3;\n}\n");
  graph.vertex_weights = {1, 2, 3, 4};
  write_dot(graph, path);
  EXPECT_THAT(text_of(path), testing::HasSubstr("  3 [weight=4];\n"));
}

}  // namespace
}  // namespace Atoll
