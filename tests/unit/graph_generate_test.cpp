// Generators: for a seed, the same graph with any number of threads, and the expected degrees.
#include "atoll/graph/generate.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numeric>

#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

using Generator = Graph (*)(const GenerateOptions&, const Team&);

class GraphGenerate : public testing::TestWithParam<Generator> {};

TEST_P(GraphGenerate, IsTheSameWhateverTheThreads) {
  for (int variant = 0; variant < 16; ++variant) {
    const GenerateOptions options{.scale = 11,
                                  .edge_factor = 20,  // gives more work items than threads
                                  .seed = 5,
                                  .symmetrise = (variant & 1) != 0,
                                  .deduplicate = (variant & 2) != 0,
                                  .permute = (variant & 4) != 0,
                                  .wide_ids = (variant & 8) != 0};
    const Graph one = GetParam()(options, team_of(1));
    EXPECT_EQ(one.nodes(), 2048U);
    EXPECT_EQ(one.node_width(), options.wide_ids ? IdWidth::wide : IdWidth::narrow);
    const Edges edges = edges_of(one);
    for (int threads = 2; threads <= 4; ++threads)
      EXPECT_EQ(edges_of(GetParam()(options, team_of(threads))), edges);
    if (!options.deduplicate && !options.symmetrise) {
      EXPECT_EQ(edges.size(), 2048U * 20);
    }

    // Checks that each option has its effect.
    const bool sorted_once = std::ranges::adjacent_find(edges) == edges.end();
    const bool loops = std::ranges::any_of(edges, [](auto& e) { return e.first == e.second; });
    EXPECT_EQ(sorted_once, options.deduplicate);
    EXPECT_EQ(loops, !options.deduplicate);
    Edges turned = edges;
    for (auto& [from, to] : turned) std::swap(from, to);
    std::ranges::sort(turned);
    EXPECT_EQ(turned == edges, options.symmetrise);
  }
}

TEST_P(GraphGenerate, SeedsDiffer) {
  const auto edges = [&](std::uint64_t seed) {
    return edges_of(GetParam()({.scale = 8, .seed = seed}, team_of(2)));
  };
  EXPECT_EQ(edges(1), edges(1));
  EXPECT_NE(edges(1), edges(2));
  EXPECT_NE(edges(0), edges(1));
}

TEST_P(GraphGenerate, PermutationChangesNamesOnly) {
  const auto degrees = [&](bool permute) {
    const Graph graph = GetParam()({.scale = 10, .permute = permute}, team_of(2));
    std::vector<std::uint64_t> all;
    const auto begin = numbers(graph, Section::begin);
    for (std::uint64_t v = 0; v < graph.nodes(); ++v) all.push_back(begin[v + 1] - begin[v]);
    return all;
  };
  auto plain = degrees(false);
  auto permuted = degrees(true);
  EXPECT_NE(plain, permuted);
  std::ranges::sort(plain);
  std::ranges::sort(permuted);
  EXPECT_EQ(plain, permuted);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GraphGenerate, testing::Values(generate_rmat, generate_uniform),
                         [](const auto& kind) { return kind.index == 0 ? "rmat" : "uniform"; });

TEST(GraphGenerateRmat, FallsIntoQuadrantsAsGraph500Says) {
  // The bits of each level choose a quadrant with the probabilities .57 .19 / .19 .05.
  const GenerateOptions options{
      .scale = 12, .edge_factor = 100, .symmetrise = false, .deduplicate = false, .permute = false};
  const Edges edges = edges_of(generate_rmat(options, team_of(2)));
  const auto count = static_cast<double>(edges.size());
  for (int level = 0; level < 12; ++level) {
    double quadrant[4] = {};
    for (const auto& [from, to] : edges) ++quadrant[(from >> level & 1) * 2 + (to >> level & 1)];
    const double expected[4] = {.57, .19, .19, .05};
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(quadrant[i] / count, expected[i], 5 * std::sqrt(.25 / count)) << level;
    // The quadrants of adjacent levels are independent.
    if (level == 0) continue;
    double both = 0;
    for (const auto& [from, to] : edges)
      both += (from >> level & 1) == 0 && (from >> (level - 1) & 1) == 0 ? 1 : 0;
    EXPECT_NEAR(both / count, .76 * .76, 5 * std::sqrt(.25 / count)) << level;
  }
}

TEST(GraphGenerateUniform, DegreesArePoissonDistributed) {
  const GenerateOptions options{
      .scale = 14, .edge_factor = 16, .symmetrise = false, .deduplicate = false};
  const Graph graph = generate_uniform(options, team_of(2));
  const auto begin = numbers(graph, Section::begin);
  double squares = 0;
  for (std::uint64_t v = 0; v < graph.nodes(); ++v)
    squares += std::pow(static_cast<double>(begin[v + 1] - begin[v]) - 16, 2);
  EXPECT_NEAR(squares / static_cast<double>(graph.nodes()), 16, 1);  // variance = mean
}

TEST(GraphGenerateOptions, OutOfRangeIsRefused) {
  const auto error = [](GenerateOptions options) {
    return input_error([&] { static_cast<void>(generate_rmat(options, team_of(1))); });
  };
  EXPECT_THAT(error({.scale = 0}), testing::HasSubstr("scale 0 is out of range; choose"));
  EXPECT_THAT(error({.scale = 41}), testing::HasSubstr("scale 41 is out of range"));
  EXPECT_THAT(error({.edge_factor = -1}), testing::HasSubstr("edge factor -1"));
  EXPECT_THAT(error({.edge_factor = NAN}), testing::HasSubstr("edge factor nan"));
  EXPECT_THAT(error({.edge_factor = 1e30}), testing::HasSubstr("edge factor 1e+30"));
  EXPECT_THAT(error({.a = .9, .b = .2}), testing::HasSubstr("probabilities"));
  EXPECT_THAT(error({.scale = 40}), testing::HasSubstr("to build"));
  EXPECT_EQ(generate_rmat({.scale = 1, .edge_factor = 0}, team_of(2)).edges(), 0U);
}

}  // namespace
}  // namespace Atoll::graph
