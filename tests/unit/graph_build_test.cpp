// Out-edges and in-edges, compared with sorted edges, for all options, id widths and numbers of
// threads.
#include <random>

#include "graph/build.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

Edges random_edges(std::uint64_t nodes, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Edges edges(count);
  for (auto& [from, to] : edges) {
    from = random() % nodes * (random() % 4) / 3;  // skewed degrees: few nodes have many edges
    to = random() % 8 == 0 ? from : random() % nodes;
  }
  return edges;
}

std::uint64_t nodes_of(const Edges& edges) {
  std::uint64_t nodes = 0;
  for (const auto& [from, to] : edges) nodes = std::max({nodes, from + 1, to + 1});
  return nodes;
}

TEST(GraphBuild, AgreesWithSorting) {
  for (const auto& [nodes, count] : {std::pair{1U, 5U}, {3U, 20U}, {50U, 400U}, {5000U, 20000U}})
    for (int options = 0; options < 16; ++options) {
      const BuildOptions build{.symmetrise = (options & 1) != 0,
                               .deduplicate = (options & 2) != 0,
                               .drop_self_loops = (options & 4) != 0,
                               .wide_ids = (options & 8) != 0,
                               .min_nodes = options == 3 ? nodes + 7 : 0};
      const int threads = 1 + options % 4;
      const Edges edges = random_edges(nodes, count, static_cast<std::uint64_t>(options));
      Graph graph = from_edges(edges, team_of(threads), build);
      EXPECT_EQ(graph.node_width(), build.wide_ids ? IdWidth::wide : IdWidth::narrow);
      EXPECT_EQ(graph.edge_width(), graph.node_width());
      expect_graph(graph, expected_edges(edges, build), std::max(nodes_of(edges), build.min_nodes),
                   team_of(threads));
    }
}

TEST(GraphBuild, NarrowNodesWithWideEdges) {
  // Lowers the limit from 2^32 to 1000 edges. The graph exceeds it before and after the removal of
  // duplicates.
  for (const bool deduplicate : {false, true}) {
    const Edges edges = random_edges(20, 2000, 7);
    std::vector<EdgeBlock<std::uint32_t>> blocks(1);
    blocks[0] = {Buffer<EdgePair<std::uint32_t>>(edges.size()), edges.size()};
    for (std::size_t i = 0; i < edges.size(); ++i)
      blocks[0].pairs[i] = {static_cast<std::uint32_t>(edges[i].first),
                            static_cast<std::uint32_t>(edges[i].second)};
    const BuildOptions build{.deduplicate = deduplicate};
    Graph graph(build_rows(std::move(blocks), 20, team_of(2), build, 1000));
    EXPECT_EQ(graph.node_width(), IdWidth::narrow);
    EXPECT_EQ(graph.edge_width(), deduplicate ? IdWidth::narrow : IdWidth::wide);
    expect_graph(graph, expected_edges(edges, build), 20, team_of(2));
  }
}

TEST(GraphBuild, NothingAtAll) {
  Graph none;
  EXPECT_EQ(none.nodes(), 0U);
  EXPECT_EQ(none.edges(), 0U);
  expect_graph(none, {}, 0, team_of(2));
  Graph isolated = from_edges({}, team_of(2), {.min_nodes = 3});
  expect_graph(isolated, {}, 3, team_of(2));
}

TEST(GraphBuild, TooLargeIsRefusedBeforeMemoryIsTaken) {
  for (const std::uint64_t id :
       {std::uint64_t{1} << 45, std::uint64_t{1} << 62, UINT64_MAX - 1, UINT64_MAX})
    EXPECT_THROW(static_cast<void>(from_edges({{0, id}}, team_of(1))), Error) << id;
}

TEST(GraphBuild, InEdgesNeedTheOutEdges) {
  Graph graph = from_edges({{0, 1}, {1, 2}}, team_of(1));
  graph.require(Section::r_begin, team_of(1));
  EXPECT_FALSE(graph.has(Section::r_node_idx));
  graph.drop(Section::node_idx);
  EXPECT_THROW(graph.require(Section::r_node_idx, team_of(1)), Error);
  graph.require(Section::r_begin, team_of(1));
}

}  // namespace
}  // namespace Atoll::graph
