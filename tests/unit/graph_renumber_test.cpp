// Sparse ids, words and edge values, compared with maps, on random texts cut into tiny chunks.
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "atoll/graph/reorder.hpp"
#include "graph/build.hpp"
#include "graph/input_file.hpp"
#include "graph/load_text.hpp"
#include "graph/renumber.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

using Ids = TextOptions::Ids;

class GraphRenumber : public GraphTest {
 protected:
  Graph load_in_chunks(const std::string& text, std::size_t chunk_bytes, int threads,
                       const BuildOptions& build, const TextOptions& options) const {
    InputFile file(write("text", text));
    TextReader reader(file, chunk_bytes);
    return load_text(reader, team_of(threads), {build, options});
  }
};

/// Returns each edge as a pair of labels.
std::vector<std::pair<std::string, std::string>> labelled(const Graph& graph) {
  std::vector<std::pair<std::string, std::string>> edges;
  for (const auto& [from, to] : edges_of(graph))
    edges.emplace_back(graph.label(from), graph.label(to));
  return edges;
}

TEST_F(GraphRenumber, SparseIdsOfEveryWidth) {
  std::mt19937_64 random(5);
  for (const int bits : {14, 31, 33, 40, 62})
    for (const std::size_t chunk : {1UL, 64UL, 4096UL}) {
      std::set<std::uint64_t> ids{0};
      while (ids.size() < 200) ids.insert(random() >> (64 - bits));
      const std::vector<std::uint64_t> list(ids.begin(), ids.end());
      std::string text;
      Edges edges;  // ids replaced by their index in the sorted list
      for (std::uint64_t i = 0; i < 700; ++i) {
        edges.emplace_back(i % 200, random() % 200);
        text += std::to_string(list[edges.back().first]) + " " +
                std::to_string(list[edges.back().second]) + "\n";
      }
      for (const Ids way : {Ids::automatic, Ids::relabel}) {
        Graph graph = load_in_chunks(text, chunk, 3, {}, {.ids = way});
        expect_graph(graph, expected_edges(edges, {}), 200, team_of(2));
        EXPECT_EQ(graph.node_width(), IdWidth::narrow);
        for (std::uint64_t node = 0; node < 200; ++node)
          ASSERT_EQ(graph.label(node), std::to_string(list[node]));
      }
    }
}

TEST_F(GraphRenumber, MostMeansMoreThanHalf) {
  for (std::uint64_t used = 2; used < 40; used += 2)
    for (std::uint64_t bound = used; bound < 90; bound += 7) {
      // Edges 0 → 1, 2 → 3 …, and edges with the last id, 50 times each.
      std::string text;
      for (int times = 0; times < 50; ++times)
        for (std::uint64_t id = 0; id < used; id += 2)
          text +=
              std::to_string(id) + " " + std::to_string(id + 2 == used ? bound - 1 : id + 1) + "\n";
      const Graph graph = load_in_chunks(text, 100, 2, {}, {});
      EXPECT_EQ(graph.has_labels(), 2 * used < bound) << used << " of " << bound;
      EXPECT_EQ(graph.nodes(), 2 * used < bound ? used : bound);
      EXPECT_EQ(load_in_chunks(text, 100, 2, {}, {.ids = Ids::keep}).nodes(), bound);
      EXPECT_EQ(load_in_chunks(text, 100, 2, {.min_nodes = 9}, {}).nodes(),
                std::max<std::uint64_t>(bound, 9));  // labels of a file must not be renumbered
    }
}

TEST_F(GraphRenumber, BothSetsOfIdsGiveTheSame) {
  std::mt19937_64 random(6);
  const std::uint64_t large = std::uint64_t{1} << 40;  // ids too large for a bitmap
  std::vector<EdgePair<std::uint64_t>> pairs(1000);
  for (auto& [from, to] : pairs) from = random() % 100000, to = random() % 100000;
  auto copy = pairs;
  PairSpans first{{}, {std::span(pairs).first(300), std::span(pairs).subspan(300)}};
  PairSpans second{{}, {std::span(copy)}};
  const auto ids = renumber(first, 100000, team_of(3));
  EXPECT_EQ(ids, renumber(second, large, team_of(2)));
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    EXPECT_TRUE(pairs[i].from == copy[i].from && pairs[i].to == copy[i].to);
}

TEST_F(GraphRenumber, OneBased) {
  Graph graph = load_in_chunks("1 2\n2 3\n", 2, 2, {}, {.one_based = true});
  expect_graph(graph, {{0, 1}, {1, 2}}, 3, team_of(1));
  const Graph sparse = load_in_chunks("1 900\n", 9, 1, {}, {.one_based = true});
  EXPECT_EQ(labelled(sparse), (std::vector{std::pair<std::string, std::string>("1", "900")}));
  EXPECT_THAT(input_error([&] {
                static_cast<void>(load_in_chunks("1 2\n0 1\n", 9, 1, {}, {.one_based = true}));
              }),
              testing::HasSubstr(":2: node id 0; ids count from 1"));
}

TEST_F(GraphRenumber, WordsAreNumberedAsTheyCome) {
  std::mt19937_64 random(7);
  for (const std::size_t chunk : {1UL, 50UL, 4096UL}) {
    std::string text;
    std::vector<std::string> order;
    Edges edges;
    for (int i = 0; i < 500; ++i) {
      std::uint64_t ends[2];
      for (std::uint64_t& end : ends) {
        const std::string word = "w" + std::to_string(random() % 90);
        const auto found = std::ranges::find(order, word);
        end = static_cast<std::uint64_t>(found - order.begin());
        if (found == order.end()) order.push_back(word);
        text += word + " ";
      }
      text += "\r\n";
      edges.emplace_back(ends[0], ends[1]);
    }
    Graph graph = load_in_chunks(text, chunk, 3, {}, {.ids = Ids::relabel});
    expect_graph(graph, expected_edges(edges, {}), order.size(), team_of(2));
    for (std::uint64_t node = 0; node < order.size(); ++node)
      EXPECT_EQ(graph.label(node), order[node]);
  }
}

TEST_F(GraphRenumber, ValuesFollowTheirEdges) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 16; ++round) {
    const BuildOptions build{.symmetrise = (round & 1) != 0,
                             .deduplicate = (round & 2) != 0,
                             .drop_self_loops = (round & 4) != 0,
                             .wide_ids = (round & 8) != 0};
    std::string text;
    // Values of the edges from a to b, in the order of lines in the text.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<double>> expected, other_way;
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t from = random() % 40, to = random() % 40;
      const double value = static_cast<double>(random() % 1000) / 8;
      text +=
          std::to_string(from) + "\t" + std::to_string(to) + "  x " + std::to_string(value) + "\n";
      if (from == to && build.drop_self_loops) continue;
      expected[{from, to}].push_back(value);
      if (build.symmetrise && from != to)
        (build.deduplicate ? other_way : expected)[{to, from}].push_back(value);
    }
    expected.merge(other_way);  // values of an edge, then those of its reverse
    std::vector<double> all;
    for (const auto& [ends, values] : expected)
      all.insert(all.end(), values.begin(), build.deduplicate ? values.begin() + 1 : values.end());
    const Graph graph =
        load_in_chunks(text, 1 + random() % 300, 3, build, {.values = {{"v", "4"}, {"to", "2"}}});
    EXPECT_THAT(doubles(graph, "v"), testing::ElementsAreArray(all)) << round;
    save(graph, path("g"));
    EXPECT_THAT(doubles(load(path("g"), team_of(2)), "v"), testing::ElementsAreArray(all));
  }
}

TEST_F(GraphRenumber, ValuesOfAMatrixsOtherHalf) {
  const auto values = [&](const std::string& kind, const std::string& entries,
                          const std::string& column) {
    const Graph graph = load_in_chunks("%%MatrixMarket matrix coordinate " + kind + entries, 9, 2,
                                       {}, {.values = {{"v", column}}});
    return doubles(graph, "v");
  };
  using testing::ElementsAre;
  EXPECT_THAT(values("real symmetric", "\n2 2 2\n2 1 +5\n2 2 1e1\n", "3"), ElementsAre(5, 5, 10));
  EXPECT_THAT(values("real skew-symmetric", "\n2 2 1\n2 1 5\n", "3"), ElementsAre(-5, 5));
  EXPECT_THAT(values("complex hermitian", "\n2 2 1\n2 1 5 6\n", "3"), ElementsAre(5, 5));
  EXPECT_THAT(values("complex hermitian", "\n2 2 1\n2 1 5 6\n", "4"), ElementsAre(-6, 6));
}

TEST_F(GraphRenumber, WholeNumbersStayExact) {
  using testing::ElementsAre;
  const auto load_v = [&](const std::string& text, const BuildOptions& build = {}) {
    return load_in_chunks(text, 9, 2, build, {.values = {{"v", "3"}}});
  };
  // As doubles, these would be 9007199254740992, 9007199254740996 and 2^63.
  EXPECT_THAT(wholes(load_v("0 1 9007199254740993\n0 2 1\n0 3 +9007199254740995\n"
                            "1 0 9223372036854775807\n2 1 -9223372036854775808\n"),
                     "v"),
              ElementsAre(9007199254740993, 1, 9007199254740995, INT64_MAX, INT64_MIN));
  EXPECT_THAT(wholes(load_v("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n"
                            "2 1 9007199254740993\n3 1 5\n"),
                     "v"),
              ElementsAre(-9007199254740993, -5, 9007199254740993, 5));
  // If any value isn't an integer or exceeds the range, in any chunk, all values become doubles.
  for (const char* other : {"0.5", "1e1", "-0", "9223372036854775808"})
    for (const bool first : {false, true}) {
      const std::string line = std::string("4 0 ") + other + "\n", far = "0 1 9007199254740993\n";
      EXPECT_THAT(doubles(load_v(first ? line + far + "1 2 3\n" : far + "1 2 3\n" + line), "v"),
                  ElementsAre(9007199254740992.0, 3, std::stod(other)))
          << other;
    }
  EXPECT_TRUE(std::signbit(doubles(load_v("0 1 7\n1 0 -0\n"), "v").back()));
  // Doubles represent all these integers exactly, so the file is the same as without support for
  // integers.
  EXPECT_THAT(doubles(load_v("0 1 9007199254740992\n1 0 -3\n"), "v"),
              ElementsAre(9007199254740992.0, -3));
  save(load_v("0 1 9007199254740993\n1 0 -3\n"), path("g"));
  EXPECT_THAT(wholes(load(path("g"), team_of(2)), "v"), ElementsAre(9007199254740993, -3));
  const std::vector<std::uint32_t> order{1, 0};
  EXPECT_THAT(wholes(permuted(load(path("g"), team_of(1)), order, team_of(1)), "v"),
              ElementsAre(-3, 9007199254740993));
  save_edge_list(load(path("g"), team_of(1)), path("g.el"));
  EXPECT_EQ(read("g.el"), "0 1 9007199254740993\n1 0 -3\n");
}

TEST_F(GraphRenumber, ManyIdsOfAWideRangeTakeMemoryForThePairsOnly) {
  // Sparse 64-bit ids as in Twitter's graph. A bitmap would take 2^59 bytes.
  std::string text;
  std::mt19937_64 random(9);
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(random() >> 2) + " " + std::to_string(random() >> 2) + "\n";
  InputFile file(write("text", text));
  TextReader reader(file, 4096);
  const Graph graph = load_text(reader, team_of(2), {{}, {}, 20000 * 64});
  EXPECT_EQ(graph.nodes(), 40000U);
}

}  // namespace
}  // namespace Atoll::graph
