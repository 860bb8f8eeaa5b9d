// Queries of neighbour lists, compared with all pairs of nodes and edges.
#include "atoll/graph/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

struct Lists {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> node_idx;
};

/// Degrees from 0 to some hundreds, with parallel edges and self-loops. The first and the last
/// nodes have no edges.
Lists random_lists(std::size_t nodes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Lists lists;
  for (std::size_t node = 0; node < nodes; ++node) {
    const bool has_none = node < 2 || node + 2 >= nodes || node % 5 == 4;
    const std::size_t degree = has_none ? 0 : node % 7 == 0 ? 300 : random() % 12;
    std::vector<std::uint32_t> targets;
    for (std::size_t i = 0; i < degree; ++i)
      targets.push_back(static_cast<std::uint32_t>(random() % nodes));
    if (degree > 3) targets[1] = targets[0], targets[2] = static_cast<std::uint32_t>(node);
    std::ranges::sort(targets);
    lists.node_idx.insert(lists.node_idx.end(), targets.begin(), targets.end());
    lists.begin.push_back(lists.node_idx.size());
  }
  return lists;
}

TEST(GraphNeighbours, EdgesTheirSourcesAndCommonNeighbours) {
  for (const std::size_t nodes : {5U, 40U, 400U}) {
    const Lists lists = random_lists(nodes, nodes);
    std::vector<std::set<std::uint32_t>> targets(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node)
      for (std::uint64_t edge = lists.begin[node]; edge < lists.begin[node + 1]; ++edge) {
        targets[node].insert(lists.node_idx[edge]);
        ASSERT_EQ(edge_source<std::uint32_t>(lists.begin.data(), nodes, edge), node);
      }
    for (std::uint32_t a = 0; a < nodes; ++a)
      for (std::uint32_t b = 0; b < nodes; ++b) {
        ASSERT_EQ(has_edge(lists.begin.data(), lists.node_idx.data(), a, b),
                  targets[a].contains(b));
        std::vector<std::uint32_t> expected, found;
        std::ranges::set_intersection(targets[a], targets[b], std::back_inserter(expected));
        for (const std::uint32_t node :
             common_neighbours(lists.begin.data(), lists.node_idx.data(), a, b))
          found.push_back(node);
        ASSERT_EQ(found, expected) << a << " and " << b;
      }
  }
}

TEST(GraphNeighbours, CommonNeighboursOfAnyTwoLists) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20'000; ++round) {
    Lists lists;
    for (int node = 0; node < 2; ++node) {
      std::vector<std::uint32_t> targets(random() % (random() % 3 == 0 ? 200 : 6));
      for (std::uint32_t& target : targets)
        target = static_cast<std::uint32_t>(random() % (round % 2 == 0 ? 10 : 300));
      std::ranges::sort(targets);
      lists.node_idx.insert(lists.node_idx.end(), targets.begin(), targets.end());
      lists.begin.push_back(lists.node_idx.size());
    }
    const auto middle = lists.node_idx.begin() + static_cast<std::ptrdiff_t>(lists.begin[1]);
    const std::set<std::uint32_t> a(lists.node_idx.begin(), middle),
        b(middle, lists.node_idx.end());
    std::vector<std::uint32_t> expected, found;
    std::ranges::set_intersection(a, b, std::back_inserter(expected));
    for (const std::uint32_t node :
         common_neighbours(lists.begin.data(), lists.node_idx.data(), 0, 1))
      found.push_back(node);
    ASSERT_EQ(found, expected);
  }
}

TEST(GraphNeighbours, TheReverseArraysAskForInNeighbours) {
  Graph graph = from_edges({{0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 2}}, team_of(1));
  graph.require(Section::r_begin, team_of(1));
  graph.require(Section::r_node_idx, team_of(1));
  const auto begin = graph.ids<std::uint32_t>(Section::r_begin);
  const auto sources = graph.ids<std::uint32_t>(Section::r_node_idx);
  EXPECT_TRUE(has_edge(begin.data(), sources.data(), 2, 0));
  EXPECT_FALSE(has_edge(begin.data(), sources.data(), 0, 2));
  std::vector<std::uint32_t> both;
  for (const std::uint32_t node : common_neighbours(begin.data(), sources.data(), 2, 3))
    both.push_back(node);
  EXPECT_EQ(both, (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace Atoll::graph
