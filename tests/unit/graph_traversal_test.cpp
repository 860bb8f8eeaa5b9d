// Traversals, compared with simple implementations: breadth-first with a queue, depth-first with
// recursion.
#include <gtest/gtest.h>

#include <functional>
#include <queue>
#include <random>
#include <span>
#include <vector>

#include "atoll/graph/breadth_first.hpp"
#include "atoll/graph/depth_first.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

template <class N, class E>
struct IdTypes {
  using Node = N;
  using Edge = E;
};
template <class Types>
class GraphTraversal : public testing::Test {};
using Widths =
    testing::Types<IdTypes<std::uint32_t, std::uint32_t>, IdTypes<std::uint32_t, std::uint64_t>,
                   IdTypes<std::uint64_t, std::uint64_t>>;
TYPED_TEST_SUITE(GraphTraversal, Widths);

/// Arrays of a graph, built without the library's code.
template <class Node, class Edge>
struct Arrays {
  Arrays(std::size_t size, Edges edges) : nodes(size), begin(size + 1) {
    std::ranges::sort(edges);
    for (const auto& [from, to] : edges) {
      ++begin[from + 1];
      node_idx.push_back(static_cast<Node>(to));
    }
    for (std::size_t node = 0; node < size; ++node) begin[node + 1] += begin[node];
  }
  std::size_t nodes;
  std::vector<Edge> begin;
  std::vector<Node> node_idx;
};

/// Returns edges with self-loops and duplicates. Every 10th node has no edges.
Edges random_edges(std::size_t nodes, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Edges edges;
  while (edges.size() < count) {
    const std::uint64_t from = random() % nodes, to = random() % nodes;
    if (from % 10 == 9 || to % 10 == 9) continue;
    edges.emplace_back(from, to);
    if (random() % 8 == 0) edges.emplace_back(from, to);
    if (random() % 8 == 0) edges.emplace_back(from, from);
  }
  return edges;
}

Edges turned_round(Edges edges) {
  for (auto& [from, to] : edges) std::swap(from, to);
  return edges;
}

using Navigator = std::function<bool(std::uint64_t)>;

template <class Arrays>
std::vector<std::int64_t> levels_by_queue(const Arrays& graph, std::uint64_t root,
                                          const Navigator& navigator) {
  std::vector<std::int64_t> levels(graph.nodes, -1);
  std::queue<std::uint64_t> queue;
  queue.push(root);
  levels[root] = 0;
  for (; !queue.empty(); queue.pop())
    for (auto edge = graph.begin[queue.front()]; edge < graph.begin[queue.front() + 1]; ++edge) {
      const std::uint64_t node = graph.node_idx[edge];
      if (levels[node] >= 0 || !navigator(node)) continue;
      levels[node] = levels[queue.front()] + 1;
      queue.push(node);
    }
  return levels;
}

/// Runs `bfs` from the root to the end. Compares all results with the expected levels.
template <class Bfs, class Arrays, class Node>
void expect_levels(Bfs& bfs, const Arrays& graph, Node root, const Navigator& navigator,
                   int threads, const std::vector<std::int64_t>& expected) {
  std::vector<std::vector<Node>> nodes_of;
  for (std::size_t node = 0; node < graph.nodes; ++node) {
    if (expected[node] < 0) continue;
    const auto level = static_cast<std::size_t>(expected[node]);
    if (nodes_of.size() <= level) nodes_of.resize(level + 1);
    nodes_of[level].push_back(static_cast<Node>(node));
  }
  bfs.start(root);
  std::vector<std::span<const Node>> spans;
  for (; !bfs.done();
       bfs.advance(team_of(threads), graph.begin.data(), graph.node_idx.data(), navigator)) {
    ASSERT_LT(spans.size(), nodes_of.size());
    ASSERT_TRUE(std::ranges::equal(bfs.level(), nodes_of[spans.size()]));
    spans.push_back(bfs.level());
    ASSERT_EQ(bfs.levels(), spans.size());
  }
  EXPECT_TRUE(bfs.level().empty());
  bfs.advance(team_of(threads), graph.begin.data(), graph.node_idx.data(), navigator);
  EXPECT_TRUE(bfs.done()) << "after the end nothing comes";
  ASSERT_EQ(bfs.levels(), nodes_of.size());
  for (std::size_t level = 0; level < spans.size(); ++level) {
    EXPECT_EQ(spans[level].data(), bfs.level(level).data()) << "spans stay valid";
    ASSERT_TRUE(std::ranges::equal(bfs.level(level), nodes_of[level]));
  }
  for (std::size_t node = 0; node < graph.nodes; ++node) {
    ASSERT_EQ(bfs.level_of(static_cast<Node>(node)), expected[node]) << "node " << node;
    for (auto edge = graph.begin[node]; edge < graph.begin[node + 1]; ++edge) {
      const auto from = static_cast<Node>(node), to = graph.node_idx[edge];
      const bool both = expected[from] >= 0 && expected[to] >= 0;
      ASSERT_EQ(bfs.is_one_level_below(to, from), both && expected[to] == expected[from] + 1);
      ASSERT_EQ(bfs.is_one_level_above(to, from), both && expected[to] == expected[from] - 1);
    }
  }
}

TYPED_TEST(GraphTraversal, BreadthFirstEntersTheLevelsOfAQueue) {
  using Node = typename TypeParam::Node;
  using Arrays = Arrays<Node, typename TypeParam::Edge>;
  const Navigator all = [](std::uint64_t) { return true; };
  const Navigator most = [](std::uint64_t node) { return node % 7 != 3; };
  const Navigator none = [](std::uint64_t) { return false; };
  // Sparse graphs with long paths, and dense graphs with few levels.
  for (const auto& [nodes, count] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 0}, {2, 3}, {50, 80}, {3000, 4000}, {20'000, 150'000}}) {
    const Edges edges = nodes == 1 ? Edges{{0, 0}, {0, 0}} : random_edges(nodes, count, nodes);
    for (const Arrays& graph : {Arrays(nodes, edges), Arrays(nodes, turned_round(edges))}) {
      BreadthFirst<Node> bfs(nodes);  // one object for all traversals
      for (const int threads : {1, 2, 4})
        for (const Navigator& navigator : {all, most, none})
          for (const Node root :
               {Node{0}, static_cast<Node>(nodes / 2), static_cast<Node>(3 % nodes)})
            expect_levels(bfs, graph, root, navigator, threads,
                          levels_by_queue(graph, root, navigator));
    }
  }
}

TYPED_TEST(GraphTraversal, BreadthFirstWithoutARootHasNoLevel) {
  using Node = typename TypeParam::Node;
  using Edge = typename TypeParam::Edge;
  const Arrays<Node, Edge> empty(0, {}), line(3, {{0, 1}, {1, 2}});
  for (const auto& graph : {empty, line}) {
    BreadthFirst<Node> bfs(graph.nodes);
    EXPECT_TRUE(bfs.done()) << "before start()";
    if (graph.nodes > 0) bfs.start(0);
    bfs.start(kNil<Node>);
    bfs.advance(team_of(2), graph.begin.data(), graph.node_idx.data());
    EXPECT_TRUE(bfs.done());
    EXPECT_TRUE(bfs.level().empty());
    EXPECT_EQ(bfs.levels(), 0U);
    for (std::size_t node = 0; node < graph.nodes; ++node)
      EXPECT_EQ(bfs.level_of(static_cast<Node>(node)), -1);
  }
}

TEST(GraphBreadthFirst, TheNavigatorIsAskedAfterTheBodyAndAgainOfARefusedNode) {
  // Edges 0 -> 1 -> 2 -> 3, 0 -> 3 and 1 -> 3. The navigator rejects node 3 until the body of node
  // 2 has run.
  const Arrays<std::uint32_t, std::uint32_t> graph(4, {{0, 1}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
  BreadthFirst<std::uint32_t> bfs(4);
  bool open = false;
  int asked_of_root = 0;
  const auto navigator = [&](std::uint32_t node) {
    asked_of_root += node == 0 ? 1 : 0;
    return node != 3 || open;
  };
  for (bfs.start(0); !bfs.done();
       bfs.advance(team_of(1), graph.begin.data(), graph.node_idx.data(), navigator))
    if (bfs.level()[0] == 2) open = true;
  EXPECT_EQ(bfs.level_of(3), 3);
  EXPECT_EQ(asked_of_root, 0);
}

TEST(GraphBreadthFirst, ALineOfAMillionNodes) {
  constexpr std::size_t kNodes = 1'000'000;
  Edges edges;
  for (std::size_t node = 0; node + 1 < kNodes; ++node) edges.emplace_back(node, node + 1);
  const Arrays<std::uint32_t, std::uint32_t> graph(kNodes, edges);
  BreadthFirst<std::uint32_t> bfs(kNodes);
  bfs.start(0);
  while (!bfs.done()) bfs.advance(team_of(2), graph.begin.data(), graph.node_idx.data());
  EXPECT_EQ(bfs.levels(), kNodes);
  EXPECT_EQ(bfs.level_of(kNodes - 1), static_cast<std::int64_t>(kNodes) - 1);
}

TEST(GraphBreadthFirst, AfterANavigatorThatThrowsItStartsAnew) {
  const Edges edges = random_edges(20'000, 150'000, 4);
  const Arrays<std::uint32_t, std::uint32_t> graph(20'000, edges);
  BreadthFirst<std::uint32_t> bfs(20'000);
  const Navigator fails = [](std::uint64_t node) {
    if (node == 12'345) throw Error::failed("node", "is bad", "");
    return true;
  };
  for (const int threads : {1, 4}) {
    bfs.start(0);
    const auto run = [&] {
      while (!bfs.done())
        bfs.advance(team_of(threads), graph.begin.data(), graph.node_idx.data(), fails);
    };
    EXPECT_THROW(run(), Error);
    EXPECT_TRUE(bfs.done());
    const Navigator all = [](std::uint64_t) { return true; };
    expect_levels(bfs, graph, std::uint32_t{1}, all, threads, levels_by_queue(graph, 1, all));
  }
}

TEST(GraphBreadthFirst, ATeamThatIsAskedToStopStopsIt) {
  const Arrays<std::uint32_t, std::uint32_t> graph(2, {{0, 1}});
  BreadthFirst<std::uint32_t> bfs(2);
  bfs.start(0);
  team_of(2).request_stop();
  EXPECT_THROW(bfs.advance(team_of(2), graph.begin.data(), graph.node_idx.data()), Stopped);
  team_of(2).forget_stop();
}

/// A node, and true if it is entered, false if it is left.
using Events = std::vector<std::pair<std::uint64_t, bool>>;

template <class Arrays>
void visit_by_recursion(const Arrays& graph, std::uint64_t node, const Navigator& navigator,
                        std::vector<bool>& entered, Events& events) {
  entered[node] = true;
  events.emplace_back(node, true);
  for (auto edge = graph.begin[node]; edge < graph.begin[node + 1]; ++edge)
    if (const std::uint64_t next = graph.node_idx[edge]; !entered[next] && navigator(next))
      visit_by_recursion(graph, next, navigator, entered, events);
  events.emplace_back(node, false);
}

TYPED_TEST(GraphTraversal, DepthFirstHasTheEventsOfARecursion) {
  using Node = typename TypeParam::Node;
  using Edge = typename TypeParam::Edge;
  const Navigator all = [](std::uint64_t) { return true; };
  const Navigator most = [](std::uint64_t node) { return node % 7 != 3; };
  for (const auto& [nodes, count] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 0}, {2, 3}, {50, 80}, {3000, 4000}, {3000, 30'000}}) {
    const Edges edges = nodes == 1 ? Edges{{0, 0}, {0, 0}} : random_edges(nodes, count, nodes);
    for (const auto& graph :
         {Arrays<Node, Edge>(nodes, edges), Arrays<Node, Edge>(nodes, turned_round(edges))}) {
      DepthFirst<Node, Edge> dfs(nodes);  // one object for all traversals
      EXPECT_FALSE(dfs.step(graph.begin.data(), graph.node_idx.data())) << "before start()";
      for (const Navigator& navigator : {all, most})
        for (std::size_t root = 0; root < nodes; root += 1 + nodes / 40) {
          std::vector<bool> entered(nodes);
          Events expected, events;
          visit_by_recursion(graph, root, navigator, entered, expected);
          dfs.start(static_cast<Node>(root));
          while (dfs.step(graph.begin.data(), graph.node_idx.data(), navigator))
            events.emplace_back(dfs.node(), dfs.entering());
          ASSERT_EQ(events, expected) << "from " << root;
          EXPECT_FALSE(dfs.step(graph.begin.data(), graph.node_idx.data(), navigator));
          for (std::size_t node = 0; node < nodes; ++node)
            ASSERT_EQ(dfs.has_entered(static_cast<Node>(node)), entered[node]);
        }
      // start() discards an unfinished traversal.
      dfs.start(0);
      for (int i = 0; i < 2; ++i)
        static_cast<void>(dfs.step(graph.begin.data(), graph.node_idx.data()));
      dfs.start(kNil<Node>);
      EXPECT_FALSE(dfs.step(graph.begin.data(), graph.node_idx.data()));
      EXPECT_FALSE(dfs.has_entered(0));
    }
  }
}

TEST(GraphDepthFirst, TheNavigatorIsAskedAfterTheBodiesBefore) {
  // Edges 0 -> 1 and 0 -> 2 -> 1. The navigator rejects node 1 until the body of node 2 has run.
  const Arrays<std::uint32_t, std::uint32_t> graph(3, {{0, 1}, {0, 2}, {2, 1}});
  DepthFirst<std::uint32_t, std::uint32_t> dfs(3);
  bool open = false;
  Events events;
  dfs.start(0);
  while (dfs.step(graph.begin.data(), graph.node_idx.data(),
                  [&](std::uint32_t node) { return node != 1 || open; })) {
    if (dfs.entering() && dfs.node() == 2) open = true;
    events.emplace_back(dfs.node(), dfs.entering());
  }
  const Events expected{{0, true}, {2, true}, {1, true}, {1, false}, {2, false}, {0, false}};
  EXPECT_EQ(events, expected);
}

TEST(GraphDepthFirst, ALineOfAMillionNodesAndAsManyStarts) {
  constexpr std::size_t kNodes = 1'000'000;
  Edges edges;
  for (std::size_t node = 0; node + 1 < kNodes; ++node) edges.emplace_back(node, node + 1);
  const Arrays<std::uint32_t, std::uint32_t> graph(kNodes, edges);
  DepthFirst<std::uint32_t, std::uint32_t> dfs(kNodes);
  const auto events_from = [&](std::uint32_t root) {
    std::size_t events = 0;
    dfs.start(root);
    while (dfs.step(graph.begin.data(), graph.node_idx.data())) ++events;
    return events;
  };
  EXPECT_EQ(events_from(0), 2 * kNodes);
  // Each traversal visits one node. If each start scanned the bits of all nodes, this loop would
  // take a minute.
  std::size_t events = 0;
  for (std::size_t i = 0; i < kNodes; ++i) events += events_from(kNodes - 1);
  EXPECT_EQ(events, 2 * kNodes);
}

}  // namespace
}  // namespace Atoll::graph
