// Affinity graphs of tasks and their locations [affinity §2.2]. The paper's two algorithms agree
// with each other, and with a count of the common locations of each pair of tasks.
#include "atoll/plan/share_graph.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <random>
#include <set>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

TaskLocations tasks_of(const Lists& lists, std::uint32_t locations) {
  TaskLocations tasks;
  tasks.location_count = locations;
  for (const auto& list : lists) {
    tasks.locations.insert(tasks.locations.end(), list.begin(), list.end());
    tasks.begin.push_back(tasks.locations.size());
  }
  return tasks;
}

std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random()) % limit;
}

/// Returns lists in random order. Most tasks use some of the locations, few tasks use the others. A
/// task may list a location twice.
Lists random_lists(std::mt19937& random, std::size_t tasks, std::uint32_t locations) {
  Lists lists(tasks);
  for (auto& list : lists) {
    const std::size_t length = below(random, 8);
    for (std::size_t i = 0; i < length; ++i)
      list.push_back(below(random, below(random, 3) == 0 ? std::min(locations, 3U) : locations));
  }
  return lists;
}

/// Returns for each pair of tasks the sum of the weights of common locations, computed with sets.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> by_sets(
    const Lists& lists, std::uint32_t locations, const ShareOptions& options) {
  std::vector<std::set<std::uint32_t>> users(locations);
  for (std::uint32_t task = 0; task < lists.size(); ++task)
    for (const std::uint32_t location : lists[task]) users[location].insert(task);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> pairs;
  for (std::uint32_t location = 0; location < locations; ++location) {
    const auto& sharers = users[location];
    if (static_cast<double>(sharers.size()) >
        options.dense_ratio * static_cast<double>(lists.size()))
      continue;
    if (options.max_sharers > 0 && sharers.size() > options.max_sharers) continue;
    const auto weight = options.location_weights.empty() ? 1 : options.location_weights[location];
    for (const std::uint32_t one : sharers)
      for (const std::uint32_t other : sharers)
        if (one != other && weight > 0) pairs[{one, other}] += weight;
  }
  return pairs;
}

void expect_pairs(const AffinityGraph& graph,
                  const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>& pairs) {
  ASSERT_NO_THROW(check(graph, "graph"));
  EXPECT_EQ(graph.neighbours.size(), pairs.size());
  for (std::uint32_t one = 0; one < graph.vertices(); ++one)
    for (std::uint64_t at = graph.begin[one]; at < graph.begin[one + 1]; ++at) {
      const auto pair = pairs.find({one, graph.neighbours[at]});
      ASSERT_NE(pair, pairs.end());
      EXPECT_EQ(graph.weights[at], pair->second);
    }
}

TEST(ShareGraph, BothAlgorithmsAgreeWithSets) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t count = below(random, 30);
    const std::uint32_t locations = 1 + below(random, 40);
    const Lists lists = random_lists(random, count, locations);
    const TaskLocations tasks = tasks_of(lists, locations);
    std::vector<std::uint32_t> weights(locations);
    for (auto& weight : weights) weight = below(random, 4);
    ShareOptions options;
    options.dense_ratio = static_cast<double>(below(random, 11)) / 10;
    options.max_sharers = below(random, 3) == 0 ? below(random, 6) : 0;
    if (below(random, 2) == 0) options.location_weights = weights;
    ShareReport by_locations;
    ShareReport by_pairs;
    const AffinityGraph graph = share_graph(tasks, options, &by_locations);
    expect_pairs(graph, by_sets(lists, locations, options));
    EXPECT_EQ(share_graph_by_pairs(tasks, options, &by_pairs), graph);
    EXPECT_EQ(by_pairs, by_locations);
    EXPECT_GE(by_locations.sharing_pairs, graph.edges());
  }
}

TEST(ShareGraph, AWeightIsTheNumberOfDistinctCommonLocations) {
  const AffinityGraph graph = share_graph(tasks_of({{0, 1, 1, 2}, {2, 1, 5}, {5, 5}, {}}, 6));
  EXPECT_THAT(graph.begin, testing::ElementsAre(0, 1, 3, 4, 4));
  EXPECT_THAT(graph.neighbours, testing::ElementsAre(1, 0, 2, 1));
  EXPECT_THAT(graph.weights, testing::ElementsAre(2, 2, 1, 1));
}

TEST(ShareGraph, NoTaskAndOneTaskHaveNoEdges) {
  EXPECT_EQ(share_graph({}), AffinityGraph{});
  EXPECT_EQ(share_graph(tasks_of({{0, 0, 1}}, 2)).begin, (std::vector<std::uint64_t>{0, 0}));
}

TEST(ShareGraph, ReportsWhatItDropped) {
  // Ten tasks. All use location 0, nine use location 1 (0.9 of the tasks, just accepted), five use
  // location 2.
  Lists lists(10);
  for (std::uint32_t task = 0; task < 10; ++task) {
    lists[task] = {0, 3 + task};
    if (task < 9) lists[task].push_back(1);
    if (task < 5) lists[task].push_back(2);
  }
  ShareReport report;
  EXPECT_EQ(share_graph(tasks_of(lists, 13), {}, &report).edges(), 9U * 8 / 2);
  EXPECT_EQ(report.shared_locations, 3U);
  EXPECT_EQ(report.dense, (DroppedLocations{1, 10}));
  EXPECT_EQ(report.many_sharers, DroppedLocations{});
  EXPECT_EQ(report.kept_pairs, 14U);
  EXPECT_EQ(share_graph(tasks_of(lists, 13), {.max_sharers = 6}, &report).edges(), 10U);
  EXPECT_EQ(report.dense, (DroppedLocations{1, 10}));
  EXPECT_EQ(report.many_sharers, (DroppedLocations{1, 9}));
  EXPECT_EQ(share_graph(tasks_of(lists, 13), {.dense_ratio = 0}).edges(), 0U);
  EXPECT_EQ(share_graph(tasks_of(lists, 13), {.dense_ratio = 1}).edges(), 45U);
}

TEST(ShareGraph, WeightsStopAtTheLargestNumber) {
  const std::vector<std::uint32_t> weights{0xFFFF'FFF0, 0x20};
  const AffinityGraph graph =
      share_graph(tasks_of({{0, 1}, {0, 1}}, 2), {.dense_ratio = 1, .location_weights = weights});
  EXPECT_THAT(graph.weights, testing::ElementsAre(0xFFFF'FFFF, 0xFFFF'FFFF));
}

TEST(ShareGraph, OptionsThatCannotBeAreRefused) {
  const TaskLocations tasks = tasks_of({{0}, {0}}, 1);
  const std::vector<std::uint32_t> weights(2, 1);
  for (const ShareOptions& options :
       {ShareOptions{.dense_ratio = -0.1}, ShareOptions{.dense_ratio = 1.1},
        ShareOptions{.dense_ratio = std::numeric_limits<double>::quiet_NaN()},
        ShareOptions{.location_weights = weights}}) {
    EXPECT_THROW((void)share_graph(tasks, options), Error);
    EXPECT_THROW((void)share_graph_by_pairs(tasks, options), Error);
    EXPECT_THROW((void)bipartite_graph(tasks, options), Error);
  }
}

TEST(ShareGraph, TheBipartiteFormHasTheSharedLocationsAsVertices) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const std::uint32_t locations = 1 + below(random, 30);
    const std::size_t count = below(random, 20);
    const TaskLocations tasks = tasks_of(random_lists(random, count, locations), locations);
    ShareReport report;
    const AffinityGraph graph = bipartite_graph(tasks, {}, &report);
    ASSERT_NO_THROW(check(graph, "graph"));
    EXPECT_EQ(graph.edges(), report.kept_pairs);
    ASSERT_GE(graph.vertices(), count);
    // The number of two-step paths between two tasks is the number of locations that both use.
    const AffinityGraph cliques = share_graph(tasks);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> pairs;
    for (std::size_t location = count; location < graph.vertices(); ++location) {
      EXPECT_EQ(graph.work_of(location), 0U);
      const auto* const begin = graph.neighbours.data() + graph.begin[location];
      const auto* const end = graph.neighbours.data() + graph.begin[location + 1];
      EXPECT_GE(end - begin, 2);
      for (const auto* one = begin; one != end; ++one)
        for (const auto* other = begin; other != end; ++other)
          if (one != other) ++pairs[{*one, *other}];
    }
    for (std::size_t task = 0; task < count; ++task) EXPECT_EQ(graph.work_of(task), 1U);
    expect_pairs(cliques, pairs);
  }
}

}  // namespace
}  // namespace Atoll
