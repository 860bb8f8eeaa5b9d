// Partitions along a tree of places [affinity §3.1]: balanced to one vertex or one percent. On
// small graphs they are as cheap as the best partition, on large graphs cheaper than flat METIS.
#include "atoll/plan/partition_graph.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "atoll/base/error.hpp"
#include "plan/coarsen.hpp"
#include "plan/split_graph.hpp"
#include "plan_affinity_graphs.hpp"

namespace Atoll {
namespace {

std::vector<std::uint64_t> weights_of(const AffinityGraph& graph,
                                      const std::vector<std::uint32_t>& parts, std::size_t count) {
  std::vector<std::uint64_t> weights(count);
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
    weights.at(parts[vertex]) += graph.work_of(vertex);
  return weights;
}

void expect_equal_parts(const AffinityGraph& graph, const std::vector<std::uint32_t>& parts,
                        std::size_t count) {
  ASSERT_EQ(parts.size(), graph.vertices());
  const auto weights = weights_of(graph, parts, count);
  const auto [least, most] = std::ranges::minmax(weights);
  EXPECT_LE(most - least, 1U);
}

PartitionTree tree_of(const std::vector<std::uint32_t>& branches) {
  return even_tree(branches);
}

/// Each level costs ten times as much as the next inner level.
double cost_of(const AffinityGraph& graph, const std::vector<std::uint32_t>& parts,
               const PartitionTree& tree) {
  double cost = 0;
  const auto between = weight_between(graph, parts, tree);
  for (std::size_t level = 0; level < between.size(); ++level)
    cost += static_cast<double>(between[level].weight) *
            std::pow(10.0, static_cast<double>(between.size() - 1 - level));
  return cost;
}

std::vector<Partitioner> partitioners() {
  std::vector<Partitioner> all{Partitioner::automatic, Partitioner::greedy};
  if (has_metis()) all.push_back(Partitioner::metis);
  return all;
}

TEST(PartitionTree, ShowsThePlacesThatHaveThreads) {
  const Machine machine = Machine::open("opteron-8x8");
  const PartitionTree all = partition_tree(machine, spread_places(machine));
  EXPECT_EQ(all.leaves(), 64U);
  ASSERT_EQ(all.children.size(), 4U);
  EXPECT_EQ(all.children[0].kind, PlaceKind::package);
  ASSERT_EQ(all.children[0].children.size(), 2U);
  EXPECT_EQ(all.children[0].children[0].kind, PlaceKind::numa);

  // Two threads in one package, one in another. Levels that don't separate threads are omitted.
  const std::vector<int> pus{0, 1, 17};
  const PartitionTree few = partition_tree(machine, listed_places(machine, pus));
  ASSERT_EQ(few.children.size(), 2U);
  EXPECT_EQ(few.children[0].leaves(), 2U);
  EXPECT_EQ(few.children[1].kind, PlaceKind::package);
  EXPECT_EQ(few.children[1].part, 2U);

  // Threads on the same processing unit are separate parts.
  const std::vector<int> twice{5, 5};
  EXPECT_EQ(partition_tree(machine, listed_places(machine, twice)).leaves(), 2U);
}

TEST(PartitionTree, RefusesThreadsThatAreNowhere) {
  const Machine machine = Machine::open("opteron-8x8");
  EXPECT_THROW((void)partition_tree(machine, {}), Error);
  EXPECT_THROW((void)partition_tree(machine, ThreadPlaces{{99, NodeId{0}}}), Error);
  EXPECT_THROW((void)tree_of({2, 0}), Error);
}

TEST(PartitionGraph, WeightBetweenPlacesIsThatOfEveryPairByHand) {
  std::mt19937 random(3);
  const PartitionTree tree = tree_of({2, 3});
  const AffinityGraph graph = random_graph(random, 40, 150);
  std::vector<std::uint32_t> parts(40);
  for (auto& part : parts) part = static_cast<std::uint32_t>(random()) % 6;
  std::uint64_t outer = 0;
  std::uint64_t inner = 0;
  for (std::uint32_t v = 0; v < 40; ++v)
    for (std::uint64_t at = graph.begin[v]; at < graph.begin[v + 1]; ++at) {
      const std::uint32_t a = parts[v];
      const std::uint32_t b = parts[graph.neighbours[at]];
      if (a / 3 != b / 3)
        outer += graph.weights[at];
      else if (a != b)
        inner += graph.weights[at];
    }
  EXPECT_THAT(weight_between(graph, parts, tree),
              testing::ElementsAre(WeightBetween{PlaceKind::package, outer / 2},
                                   WeightBetween{PlaceKind::numa, inner / 2}));
}

TEST(PartitionGraph, DividesVerticesThatShareNothing) {
  for (const std::uint32_t vertices : {2048U, 2049U, 100'000U})
    for (const Partitioner partitioner : partitioners()) {
      const AffinityGraph graph = graph_of(vertices, {});
      expect_equal_parts(graph,
                         partition_graph(graph, tree_of({2, 3}), {.partitioner = partitioner}), 6);
    }
}

TEST(PartitionGraph, DividesVerticesThatShareNothingButAFew) {
  // Coarsening merges each pair into a vertex. The resulting graph has no edges, and is still
  // large.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs;
  for (std::uint32_t vertex = 0; vertex < 6000; vertex += 2)
    pairs[{vertex, vertex + 1}] = pairs[{vertex + 1, vertex}] = 5;
  const AffinityGraph graph = graph_of(12000, pairs);
  for (const Partitioner partitioner : partitioners()) {
    const auto parts = partition_graph(graph, tree_of({4}), {.partitioner = partitioner});
    expect_equal_parts(graph, parts, 4);
    EXPECT_EQ(weight_between(graph, parts, tree_of({4})).front().weight, 0U);
  }
}

TEST(PartitionGraph, PartsAreEqualToOneVertex) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 24; ++trial) {
    const auto vertices = static_cast<std::uint32_t>(random()) % 200;
    const AffinityGraph graph =
        random_graph(random, vertices, vertices < 2 ? 0 : random() % (3 * vertices));
    const PartitionTree tree = trial % 3 == 0   ? tree_of({2, 2})
                               : trial % 3 == 1 ? tree_of({3, 2, 5})
                                                : tree_of({7});
    for (const Partitioner partitioner : partitioners()) {
      const PartitionOptions options{.partitioner = partitioner};
      const auto parts = partition_graph(graph, tree, options);
      expect_equal_parts(graph, parts, tree.leaves());
      EXPECT_EQ(partition_graph(graph, tree, options), parts);
    }
  }
}

TEST(PartitionGraph, MorePlacesThanTasksAndNoTask) {
  const PartitionTree tree = tree_of({4, 2, 8});
  EXPECT_TRUE(partition_graph({}, tree).empty());
  const AffinityGraph pair{{0, 1, 2}, {1, 0}, {3, 3}, {}};
  expect_equal_parts(pair, partition_graph(pair, tree), 64);
  EXPECT_THAT(partition_graph(pair, tree_of({})), testing::Each(0U));
}

TEST(PartitionGraph, FindsTheBestBisectionOfSmallGraphs) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 40; ++trial) {
    const AffinityGraph graph = random_graph(random, 12, 16);
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t side = 0; side < 1U << 12; ++side) {
      if (__builtin_popcount(side) != 6) continue;
      std::vector<std::uint32_t> parts(12);
      for (std::uint32_t v = 0; v < 12; ++v) parts[v] = side >> v & 1U;
      best = std::min(best, detail::cut_of(graph, parts));
    }
    EXPECT_EQ(detail::cut_of(graph, partition_graph(graph, tree_of({2}))), best);
  }
}

TEST(PartitionGraph, FigureFivesThreadsShareNodes) {
  // w(0,2) = w(1,3) = 10,000, all others 0.
  const AffinityGraph graph{{0, 1, 2, 3, 4}, {2, 3, 0, 1}, {10'000, 10'000, 10'000, 10'000}, {}};
  for (const Partitioner partitioner : partitioners()) {
    const PartitionTree tree = tree_of({2, 2});
    const auto parts = partition_graph(graph, tree, {.partitioner = partitioner});
    expect_equal_parts(graph, parts, 4);
    EXPECT_EQ(parts[0] / 2, parts[2] / 2);
    EXPECT_EQ(parts[1] / 2, parts[3] / 2);
  }
}

TEST(PartitionGraph, WeightedPartsAreWithinOnePercent) {
  std::mt19937 random(17);
  AffinityGraph graph = grid_graph(60, 50);
  graph.vertex_weights.resize(graph.vertices());
  for (auto& weight : graph.vertex_weights) weight = 1 + static_cast<std::uint32_t>(random()) % 9;
  for (const Partitioner partitioner : partitioners()) {
    const auto parts = partition_graph(graph, tree_of({2, 4}), {.partitioner = partitioner});
    const auto weights = weights_of(graph, parts, 8);
    const double share =
        static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0})) / 8;
    for (const std::uint64_t weight : weights)
      EXPECT_NEAR(static_cast<double>(weight), share, 0.01 * share);
  }
}

TEST(PartitionGraph, NodesWithUnequalNumbersOfThreadsGetWorkByTheirThreads) {
  // Threads per node: 5:1, 1:2:1 and 1:8:3. Some of these nodes are in the same package.
  const Machine machine = Machine::open("opteron-8x8");
  const std::vector<std::vector<int>> teams{
      {0, 1, 2, 3, 4, 8}, {0, 8, 9, 16}, {7, 8, 9, 10, 11, 12, 13, 14, 15, 40, 41, 42}};
  std::mt19937 random(31);
  for (const std::vector<int>& pus : teams) {
    const PartitionTree tree = partition_tree(machine, listed_places(machine, pus));
    AffinityGraph graph = grid_graph(60, 51);
    for (const Partitioner partitioner : partitioners()) {
      const PartitionOptions options{.partitioner = partitioner};
      graph.vertex_weights.clear();
      expect_equal_parts(graph, partition_graph(graph, tree, options), pus.size());
      graph.vertex_weights.assign(graph.vertices(), 1);
      expect_equal_parts(graph, partition_graph(graph, tree, options), pus.size());
      for (auto& weight : graph.vertex_weights)
        weight = 1 + static_cast<std::uint32_t>(random()) % 9;
      const auto weights = weights_of(graph, partition_graph(graph, tree, options), pus.size());
      const double share =
          static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0})) /
          static_cast<double>(pus.size());
      for (const std::uint64_t weight : weights)
        EXPECT_NEAR(static_cast<double>(weight), share, 0.01 * share);
    }
  }
}

TEST(PartitionGraph, AHeavyVertexIsInAPartAlone) {
  AffinityGraph graph = grid_graph(10, 10);
  graph.vertex_weights.assign(100, 1);
  graph.vertex_weights[42] = 1000;
  const auto parts = partition_graph(graph, tree_of({2}));
  for (std::size_t vertex = 0; vertex < 100; ++vertex)
    if (vertex != 42) {
      EXPECT_NE(parts[vertex], parts[42]) << vertex;
    }
}

TEST(PartitionGraph, VerticesWithoutWeightGoWhereTheirNeighboursAre) {
  // Two stars: each is a location that five tasks use.
  AffinityGraph graph;
  for (std::uint32_t task = 0; task < 10; ++task) {
    graph.neighbours.push_back(10 + task % 2);
    graph.begin.push_back(graph.neighbours.size());
  }
  for (std::uint32_t star = 0; star < 2; ++star) {
    for (std::uint32_t i = 0; i < 5; ++i) graph.neighbours.push_back(star + 2 * i);
    graph.begin.push_back(graph.neighbours.size());
  }
  graph.weights.assign(graph.neighbours.size(), 1);
  graph.vertex_weights.assign(10, 1);
  graph.vertex_weights.resize(12, 0);
  ASSERT_NO_THROW(check(graph, "stars"));
  for (const Partitioner partitioner : partitioners()) {
    const auto parts = partition_graph(graph, tree_of({2}), {.partitioner = partitioner});
    EXPECT_EQ(detail::cut_of(graph, parts), 0U);
    EXPECT_THAT(weights_of(graph, parts, 2), testing::ElementsAre(5, 5));
  }
}

TEST(PartitionGraph, LargeWeightsAreScaledForMetis) {
  AffinityGraph graph = grid_graph(40, 40);
  for (auto& weight : graph.weights) weight = 0xFFFF'FFFF;
  const auto parts = partition_graph(graph, tree_of({4}));
  expect_equal_parts(graph, parts, 4);
  EXPECT_LT(detail::cut_of(graph, parts) / 0xFFFF'FFFF, 110U);  // four squares: 80
}

TEST(PartitionGraph, GraphsThatMetisCannotHoldAreCoarsened) {
  const AffinityGraph graph = grid_graph(100, 100);
  const PartitionTree tree = tree_of({4});
  const auto direct = partition_graph(graph, tree);
  const auto coarsened = partition_graph(graph, tree, {.metis_edges = 500});
  expect_equal_parts(graph, coarsened, 4);
  EXPECT_LT(cost_of(graph, coarsened, tree), 1.5 * cost_of(graph, direct, tree));
}

TEST(PartitionGraph, CoarseGraphsKeepWeights) {
  std::mt19937 random(23);
  for (int trial = 0; trial < 30; ++trial) {
    AffinityGraph graph = random_graph(random, 60, 150);
    if (trial % 2 == 0) {
      graph.vertex_weights.resize(60);
      for (auto& weight : graph.vertex_weights) weight = static_cast<std::uint32_t>(random()) % 5;
    }
    const detail::Coarse coarse = detail::coarsen(graph, 6);
    ASSERT_NO_THROW(check(coarse.graph, "coarse"));
    EXPECT_LT(coarse.graph.vertices(), graph.vertices());
    std::vector<std::uint64_t> work(coarse.graph.vertices());
    for (std::size_t v = 0; v < 60; ++v) work[coarse.of[v]] += graph.work_of(v);
    for (std::size_t v = 0; v < work.size(); ++v) {
      EXPECT_EQ(coarse.graph.work_of(v), work[v]);
      EXPECT_LE(work[v], 6U);
    }
    // A partition must cut the same weight in the coarse graph as in the fine graph.
    std::vector<std::uint32_t> parts(work.size());
    for (auto& part : parts) part = static_cast<std::uint32_t>(random()) % 3;
    std::vector<std::uint32_t> fine(60);
    for (std::size_t v = 0; v < 60; ++v) fine[v] = parts[coarse.of[v]];
    EXPECT_EQ(detail::cut_of(graph, fine), detail::cut_of(coarse.graph, parts));
  }
}

TEST(PartitionGraph, ThePolishNeverCostsAndKeepsTheBalance) {
  std::mt19937 random(29);
  for (int trial = 0; trial < 50; ++trial) {
    const AffinityGraph graph = random_graph(random, 120, 400);
    std::vector<std::uint32_t> parts(120);
    for (std::uint32_t v = 0; v < 120; ++v) parts[v] = v % 3;
    std::shuffle(parts.begin(), parts.end(), random);
    const std::uint64_t before = detail::cut_of(graph, parts);
    detail::refine_parts(graph, {{40, 40, 40}}, parts);
    EXPECT_LT(detail::cut_of(graph, parts), before);
    EXPECT_THAT(weights_of(graph, parts, 3), testing::Each(40U));
  }
}

TEST(PartitionGraph, OptionsThatCannotBeAreRefused) {
  EXPECT_THROW((void)partition_graph(grid_graph(2, 2), tree_of({2}), {.imbalance = -1}), Error);
  if (!has_metis()) {
    EXPECT_THROW(
        (void)partition_graph(grid_graph(2, 2), tree_of({2}), {.partitioner = Partitioner::metis}),
        Error);
  }
}

}  // namespace
}  // namespace Atoll
