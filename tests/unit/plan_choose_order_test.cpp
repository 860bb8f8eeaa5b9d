// Choice of an order, or of none, on presets: meshes that fit the cache or exceed it, shuffled or
// in order; rectangular matrices.
#include "atoll/plan/choose_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace Atoll {
namespace {

struct Mesh {
  AffinityGraph graph;
  TaskLocations tasks;
};

/// Returns a square grid whose nodes are numbered row by row, or randomly if `shuffled`.
Mesh mesh_of(std::uint32_t side, bool shuffled) {
  std::vector<std::uint32_t> name(std::size_t{side} * side), place(name.size());
  std::iota(name.begin(), name.end(), 0U);
  if (shuffled) std::shuffle(name.begin(), name.end(), std::mt19937_64(3));
  for (std::uint32_t at = 0; at < name.size(); ++at) place[name[at]] = at;
  Mesh mesh;
  AffinityGraph& graph = mesh.graph;
  for (const std::uint32_t at : place) {
    const auto row = static_cast<std::ptrdiff_t>(graph.neighbours.size());
    if (at >= side) graph.neighbours.push_back(name[at - side]);
    if (at % side > 0) graph.neighbours.push_back(name[at - 1]);
    if (at % side + 1 < side) graph.neighbours.push_back(name[at + 1]);
    if (at + side < name.size()) graph.neighbours.push_back(name[at + side]);
    std::sort(graph.neighbours.begin() + row, graph.neighbours.end());
    graph.begin.push_back(graph.neighbours.size());
  }
  graph.weights.assign(graph.neighbours.size(), 1);
  mesh.tasks = {graph.begin, graph.neighbours, static_cast<std::uint32_t>(graph.vertices())};
  return mesh;
}

const Machine& xeon() {
  static const Machine machine = Machine::open("xeon-x7550");  // with 1.5 MB of cache per core
  return machine;
}

TEST(ChooseOrder, AShuffledMeshThatIsLargerThanTheCacheIsOrdered) {
  const Mesh mesh = mesh_of(700, true);
  const ChosenOrder chosen = choose_order({mesh.graph, mesh.tasks}, xeon());
  EXPECT_TRUE(chosen.kind == TaskOrder::breadth_first || chosen.kind == TaskOrder::rcm);
  EXPECT_EQ(chosen.order, order_graph(mesh.graph, chosen.kind));
  EXPECT_LT(chosen.after.line_misses, chosen.before.line_misses / 4);
  EXPECT_LT(chosen.after.seconds, chosen.before.seconds / 2);
}

TEST(ChooseOrder, WhatTheLastCacheAnswersCounts) {
  // A vector of 1.3 MB is between the L2 of 256 KiB and a core's share (2.5 MiB) of the last-level
  // cache.
  const Machine machine = Machine::open("xeon-2x10");
  const Mesh mesh = mesh_of(400, true);
  const ChosenOrder chosen = choose_order({mesh.graph, mesh.tasks}, machine);
  EXPECT_EQ(chosen.kind, TaskOrder::breadth_first);
  EXPECT_EQ(chosen.after.line_misses, chosen.before.line_misses);
  EXPECT_LT(chosen.after.l2_misses, chosen.before.l2_misses / 10);
  EXPECT_LT(chosen.after.seconds, 0.97 * chosen.before.seconds);
}

TEST(ChooseOrder, WhatTheSecondCacheAnswersCounts) {
  // A vector of 0.5 MB fits an L2 of 2 MiB, and exceeds an L1 of 48 KiB.
  const Machine machine = Machine::open(
      "pack:1 numa:1 l3:1(size=33554432) l2:2(size=2097152) l1:1(size=49152) core:1 pu:1");
  ASSERT_EQ(machine.caches().l1_bytes, 48U << 10);
  const Mesh mesh = mesh_of(250, true);
  const ChosenOrder chosen = choose_order({mesh.graph, mesh.tasks}, machine);
  EXPECT_NE(chosen.kind, TaskOrder::created);
  EXPECT_LT(chosen.after.l1_misses, chosen.before.l1_misses / 5);
  // On such a machine, SciPy's RCM order takes 0.51 to 0.70 of the time.
  EXPECT_LT(chosen.after.seconds, 0.75 * chosen.before.seconds);
  EXPECT_GT(chosen.after.seconds, 0.4 * chosen.before.seconds);
}

TEST(ChooseOrder, AGoodOrderIsKept) {
  for (const bool shuffled : {false, true}) {
    // A large mesh that is already in a good order, and a mesh so small that lines and pages are
    // reused in any order.
    const Mesh mesh = mesh_of(shuffled ? 30 : 700, shuffled);
    const ChosenOrder chosen = choose_order({mesh.graph, mesh.tasks}, xeon());
    EXPECT_EQ(chosen.kind, TaskOrder::created);
    EXPECT_EQ(chosen.before, chosen.after);
    EXPECT_TRUE(std::ranges::is_sorted(chosen.order));
  }
}

TEST(ChooseOrder, AnOrderThatIsWantedIsTakenEvenIfItIsWorse) {
  const Mesh mesh = mesh_of(700, false);
  const ChosenOrder chosen = choose_order({mesh.graph, mesh.tasks}, xeon(), TaskOrder::degree);
  EXPECT_EQ(chosen.kind, TaskOrder::degree);
  EXPECT_EQ(chosen.order, order_graph(mesh.graph, TaskOrder::degree));
}

TEST(ChooseOrder, LocationsThatFollowTheTasksAreOrderedWithThem) {
  // Task t reads locations 3t to 3t + 3. Afterwards, locations are renumbered randomly.
  constexpr std::uint32_t kTasks = 200'000, kLocations = 3 * kTasks + 1;
  std::vector<std::uint32_t> name(kLocations);
  std::iota(name.begin(), name.end(), 0U);
  std::shuffle(name.begin(), name.end(), std::mt19937_64(5));
  TaskLocations tasks;
  tasks.location_count = kLocations;
  std::vector<std::vector<std::uint32_t>> rows(std::size_t{kTasks} + kLocations);
  for (std::uint32_t task = 0; task < kTasks; ++task) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      tasks.locations.push_back(name[3 * task + i]);
      rows[task].push_back(kTasks + name[3 * task + i]);
      rows[kTasks + name[3 * task + i]].push_back(task);
    }
    tasks.begin.push_back(tasks.locations.size());
  }
  AffinityGraph graph;
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    graph.neighbours.insert(graph.neighbours.end(), row.begin(), row.end());
    graph.begin.push_back(graph.neighbours.size());
  }
  const ChosenOrder chosen = choose_order({graph, tasks, true}, xeon());
  EXPECT_EQ(chosen.order.size(), std::size_t{kTasks} + kLocations);
  EXPECT_GT(chosen.before.line_misses, 4e5);
  EXPECT_LT(chosen.after.line_misses, 1e5);  // 75,000 lines, each loaded about once
}

}  // namespace
}  // namespace Atoll
