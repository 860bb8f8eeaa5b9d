// PageRank, compiled from Green-Marl, with every layout. The ranks equal those of a serial
// computation in this test, and every page is on the node of its layout.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "atoll/graph/graph.hpp"

namespace Atoll {
namespace {

constexpr double kDamping = 0.85;
constexpr const char* kGraph = "/rmat14.atoll";

/// Pushes rank along out-edges; the compiled program pulls along in-edges. The result is divided by
/// the sum.
std::vector<double> serial_ranks() {
  const Team team(ThreadPlaces{{0, NodeId{0}}});
  const graph::Graph graph = graph::load(kGraph, team);
  EXPECT_GE(graph.nodes(), 10'000U);
  const auto begin = graph.ids<std::uint32_t>(graph::Section::begin);
  const auto node_idx = graph.ids<std::uint32_t>(graph::Section::node_idx);
  const std::size_t n = graph.nodes();
  std::vector<double> rank(n, 1.0), next(n);
  for (double change = 1; change > 1e-14;) {
    std::fill(next.begin(), next.end(), 1 - kDamping);
    for (std::size_t v = 0; v < n; ++v)
      for (std::uint32_t e = begin[v]; e < begin[v + 1]; ++e)
        next[node_idx[e]] += kDamping * rank[v] / (begin[v + 1] - begin[v]);
    change = 0;
    for (std::size_t v = 0; v < n; ++v)
      change += std::fabs(next[v] - rank[v]) / static_cast<double>(n);
    rank.swap(next);
  }
  const double sum = std::accumulate(rank.begin(), rank.end(), 0.0);
  for (double& value : rank) value /= sum;
  return rank;
}

class PagerankInGuest : public testing::TestWithParam<const char*> {};

TEST_P(PagerankInGuest, GivesTheSameRanksUnderEveryLayout) {
  static const std::vector<double> expected = serial_ranks();
  const std::string call =
      std::string("pagerank --graph ") + kGraph +
      " --arg e=1e-14 --arg d=0.85 --arg max=200 --json --save pg_rank=/ranks " + GetParam() +
      " > /report";
  ASSERT_EQ(std::system(call.c_str()), 0) << call;

  std::ifstream saved("/ranks");
  std::vector<double> ranks;
  std::size_t node = 0;
  for (double value = 0; saved >> node >> value;) ranks.push_back(value);
  ASSERT_EQ(ranks.size(), expected.size());
  const double sum = std::accumulate(ranks.begin(), ranks.end(), 0.0);
  for (std::size_t v = 0; v < ranks.size(); ++v)
    ASSERT_NEAR(ranks[v] / sum, expected[v], 1e-9 * expected[v]) << v;

  std::ifstream file("/report");
  const auto report = nlohmann::json::parse(file);
  std::size_t pages = 0;
  for (const auto& array : report["arrays"]) {
    ASSERT_FALSE(array["copies"].empty()) << array;
    for (const auto& copy : array["copies"]) {
      EXPECT_EQ(copy["misplaced"], 0) << array;
      for (const auto& count : copy["pages_by_node"]) pages += count.get<std::size_t>();
    }
  }
  EXPECT_GT(pages, 100U);
}

INSTANTIATE_TEST_SUITE_P(Layouts, PagerankInGuest,
                         testing::Values("--policy cost", "--policy shoal", "--layout single",
                                         "--layout distributed", "--layout partitioned",
                                         "--layout replicated", "--policy shoal --pages 4k",
                                         "--policy shoal --pages 2m"));

}  // namespace
}  // namespace Atoll
