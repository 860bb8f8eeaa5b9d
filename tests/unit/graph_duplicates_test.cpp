// Graphs from texts with duplicate edges, and with edges in both directions.
#include <gmock/gmock.h>

#include <map>
#include <random>

#include "graph/input_file.hpp"
#include "graph/load_text.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GraphDuplicates : public GraphTest {
 protected:
  Graph graph_of(const std::string& text, const BuildOptions& build,
                 const TextOptions& options = {.values = {{"w", "3"}}}) const {
    InputFile file(write("text", text));
    TextReader reader(file, 5);
    return load_text(reader, team_of(3), {build, options});
  }
  /// Loads the text and returns the note on standard error.
  std::string note_of(const std::string& text, const BuildOptions& build,
                      const TextOptions& options = {.values = {{"w", "3"}}}) const {
    testing::internal::CaptureStderr();
    static_cast<void>(graph_of(text, build, options));
    return testing::internal::GetCapturedStderr();
  }
  const std::string text_ = "0 1 5\n0 1 7\n0 1 3\n1 0 9\n";
};

TEST_F(GraphDuplicates, EachRuleChoosesTheValue) {
  const std::vector<std::pair<Duplicates, double>> rules{{Duplicates::first, 5},
                                                         {Duplicates::last, 3},
                                                         {Duplicates::min, 3},
                                                         {Duplicates::max, 7},
                                                         {Duplicates::sum, 15}};
  for (const auto& [rule, value] : rules) {
    const Graph graph = graph_of(text_, {.duplicates = rule});
    EXPECT_EQ(edges_of(graph), (Edges{{0, 1}, {1, 0}}));
    EXPECT_THAT(doubles(graph, "w"), ElementsAre(value, 9));
  }
}

TEST_F(GraphDuplicates, AgreeWithAMapOnRandomTexts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    const BuildOptions build{.symmetrise = round % 2 == 0,
                             .duplicates = static_cast<Duplicates>(round % 5)};
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> own, other;
    const auto put = [&](auto& edges, std::uint64_t from, std::uint64_t to, double value) {
      const auto [at, is_new] = edges.emplace(std::pair(from, to), value);
      if (is_new) return;
      if (build.duplicates == Duplicates::last) at->second = value;
      if (build.duplicates == Duplicates::min) at->second = std::min(at->second, value);
      if (build.duplicates == Duplicates::max) at->second = std::max(at->second, value);
      if (build.duplicates == Duplicates::sum) at->second += value;
    };
    std::string text;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t from = random() % 12, to = random() % 12;
      const auto value = static_cast<double>(random() % 100);
      text += std::to_string(from) + " " + std::to_string(to) + " " + std::to_string(value) + "\n";
      put(own, from, to, value);
      if (build.symmetrise && from != to) put(other, to, from, value);
    }
    own.merge(other);  // the edges of the text keep their own values
    std::vector<double> expected;
    for (const auto& [ends, value] : own) expected.push_back(value);
    EXPECT_THAT(doubles(graph_of(text, build), "w"), testing::ElementsAreArray(expected)) << round;
  }
}

TEST_F(GraphDuplicates, BothDirectionsKeepTheirValues) {
  EXPECT_THAT(doubles(graph_of("0 1 5\n1 0 7\n1 2 4\n", {.symmetrise = true}), "w"),
              ElementsAre(5, 7, 4, 4));
  // The result is independent of the order of the lines.
  EXPECT_THAT(doubles(graph_of("1 2 4\n1 0 7\n0 1 5\n", {.symmetrise = true}), "w"),
              ElementsAre(5, 7, 4, 4));
  const Graph matrix =
      graph_of("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 6\n", {});
  EXPECT_THAT(doubles(matrix, "w"), ElementsAre(-5, -6, 5, 6));
}

TEST_F(GraphDuplicates, TheDefaultReportsWhatIsDropped) {
  EXPECT_THAT(note_of(text_, {}), HasSubstr("text: 2 edges dropped, as others have the same ends; "
                                            "the first one's values stay (--duplicates"));
  EXPECT_THAT(note_of(text_ + "1 0 2\n", {}, {}), HasSubstr("text: 3 edges dropped"));
  EXPECT_EQ(note_of("0 1 5\n1 0 7\n", {.symmetrise = true}), "");
  EXPECT_THAT(note_of("0 1 5\n1 0 7\n0 1 8\n", {.symmetrise = true}),
              HasSubstr(" 1 edges dropped"));
  EXPECT_EQ(note_of(text_, {.deduplicate = false}), "");
  EXPECT_EQ(note_of(text_, {.duplicates = Duplicates::sum},
                    {.values = {{"w", "3"}}, .given = {"--duplicates"}}),
            "");
}

TEST_F(GraphDuplicates, ErrorRefusesThem) {
  const BuildOptions build{.duplicates = Duplicates::error};
  const auto error = [&](const std::string& text, const BuildOptions& options,
                         const TextOptions& how) {
    return input_error([&] { static_cast<void>(graph_of(text, options, how)); });
  };
  EXPECT_THAT(error(text_, build, {}),
              HasSubstr("text: 2 edges have the same ends as others, from '0' to '1' the first"));
  EXPECT_THAT(error("b a\na b\nb a\n", build, {.ids = TextOptions::Ids::relabel}),
              HasSubstr("1 edges have the same ends as others, from 'b' to 'a'"));
  const BuildOptions both{.symmetrise = true, .duplicates = Duplicates::error};
  EXPECT_THAT(error(text_, both, {}), HasSubstr("2 edges"));
  EXPECT_EQ(error("0 1\n1 0\n1 2\n", both, {}), "");
  EXPECT_EQ(graph_of("0 1\n1 0\n1 2\n", both, {}).edges(), 4U);
  EXPECT_TRUE(graph_of("0 1\n1 0\n", build, {}).value_names().empty());
}

TEST_F(GraphDuplicates, WholeNumbersStayExactOrAreRefused) {
  const BuildOptions sum{.duplicates = Duplicates::sum};
  EXPECT_THAT(wholes(graph_of("0 1 9007199254740993\n0 1 2\n1 0 -9223372036854775808\n", sum), "w"),
              ElementsAre(9007199254740995, INT64_MIN));
  EXPECT_THAT(
      input_error([&] { static_cast<void>(graph_of("0 1 9223372036854775807\n0 1 1\n", sum)); }),
      HasSubstr("the sum of 9223372036854775807 and 1 has over 64 bits"));
  EXPECT_THAT(input_error([&] {
                static_cast<void>(
                    graph_of("%%MatrixMarket matrix coordinate integer "
                             "skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n",
                             {}));
              }),
              HasSubstr("the negative of -9223372036854775808 has over 64 bits"));
}

TEST_F(GraphDuplicates, NaNCountsAsNoValue) {
  const std::string text = "0 1 nan\n0 1 5\n0 1 nan\n";
  for (const Duplicates rule : {Duplicates::min, Duplicates::max})
    EXPECT_THAT(doubles(graph_of(text, {.duplicates = rule}), "w"), ElementsAre(5));
}

class GraphVertices : public GraphTest {
 protected:
  Graph graph_of(const std::string& edges, const std::string& vertices, TextOptions options) const {
    options.vertices = write("vertices", vertices);
    InputFile file(write("edges", edges));
    TextReader reader(file, 5);
    return load_text(reader, team_of(2), {{}, options});
  }
  std::string error_of(const std::string& edges, const std::string& vertices,
                       const TextOptions& options) const {
    return input_error([&] { static_cast<void>(graph_of(edges, vertices, options)); });
  }
};

std::vector<std::string> labels_of(const Graph& graph) {
  std::vector<std::string> labels;
  for (std::uint64_t node = 0; node < graph.nodes(); ++node) labels.push_back(graph.label(node));
  return labels;
}

TEST_F(GraphVertices, MayHaveNoEdges) {
  const TextOptions relabel{.ids = TextOptions::Ids::relabel, .values = {{"w", "3"}}};
  const std::string edges = "1 2 0.5\n2 3 1.25\n3 1 2\n";
  Graph graph = graph_of(edges, "1\n2\n3\n7\n9\n", relabel);
  EXPECT_THAT(labels_of(graph), ElementsAre("1", "2", "3", "7", "9"));
  expect_graph(graph, {{0, 1}, {1, 2}, {2, 0}}, 5, team_of(2));
  EXPECT_THAT(doubles(graph, "w"), ElementsAre(0.5, 1.25, 2));

  // Without values and labels, nodes are all numbers from 0 to the largest id.
  EXPECT_EQ(graph_of(edges, "1\n2\n3\n4\n9\n", {.ids = TextOptions::Ids::keep}).nodes(), 10U);
  // If most ids up to the largest one are listed, nodes keep their numbers.
  EXPECT_FALSE(graph_of(edges, "0\n1\n2\n3\n4\n5\n", {}).has_labels());
  // If most ids up to the largest one are missing, nodes are renumbered and labelled.
  EXPECT_THAT(labels_of(graph_of(edges, "1\n2\n3\n900\n", {})), ElementsAre("1", "2", "3", "900"));
  EXPECT_THAT(labels_of(graph_of("b a\n", "c\nb x y\na\n# d\n", {.ids = relabel.ids})),
              ElementsAre("c", "b", "a"));
  EXPECT_EQ(graph_of("# none\n", "0\n1\n", {}).nodes(), 2U);
}

TEST_F(GraphVertices, HaveToHoldEachEndOfAnEdge) {
  EXPECT_THAT(error_of("1 2\n2 3\n", "1\n2\n", {.ids = TextOptions::Ids::keep}),
              HasSubstr("edges: the node '3' of an edge isn't in "));
  EXPECT_THAT(error_of("a b\n", "a\n", {.ids = TextOptions::Ids::relabel}),
              HasSubstr("the node 'b'"));
  EXPECT_THAT(error_of("5000000000 1\n", "1\n", {}), HasSubstr("the node '5000000000'"));
  EXPECT_THAT(error_of("0 1\n", "# none\n", {}), HasSubstr("vertices: no ids of nodes in it"));
  EXPECT_THAT(error_of("0 1\n", "0\nx\n", {}), HasSubstr("vertices:2: 'x' is not a node id"));
}

}  // namespace
}  // namespace Atoll::graph
