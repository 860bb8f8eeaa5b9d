// METIS graphs: every format code compared with handwritten rows, random graphs written and read
// back, format detection, and every error with its line.
#include <fmt/format.h>

#include <map>
#include <random>
#include <regex>
#include <set>

#include "atoll/graph/metis.hpp"
#include "atoll/graph/task_graph.hpp"
#include "graph/input_file.hpp"
#include "graph/metis_text.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

class GraphMetis : public GraphTest {
 protected:
  [[nodiscard]] MetisGraph metis(const std::string& text, std::size_t chunk_bytes = 1 << 16) const {
    InputFile file(write("m.graph", text));
    TextReader reader(file, chunk_bytes);
    return read_metis(reader, UINT64_MAX / 64);
  }
  /// Replaces the maximum number of vertices in the message, because it depends on the computer's
  /// memory.
  [[nodiscard]] static std::string without_most(const std::string& message) {
    return std::regex_replace(message, std::regex(R"(\d[\d,]* are the most here)"),
                              "N are the most here");
  }
  /// Returns the error without the file name.
  [[nodiscard]] std::string error(const std::string& text) const {
    const std::string where = write("bad.graph", text);
    const std::string message = input_error([&] { static_cast<void>(load(where, team_of(2))); });
    const std::string read = input_error([&] { static_cast<void>(read_metis_graph(where)); });
    EXPECT_EQ(without_most(message), without_most(read));
    EXPECT_TRUE(message.starts_with(where)) << message;
    return message.substr(std::min(message.size(), where.size()));
  }
  void expect_error(const std::string& text, const std::string& begins) const {
    const std::string message = error(text);
    EXPECT_TRUE(message.starts_with(begins)) << message << "\n" << text;
  }
};

TEST_F(GraphMetis, APathWithComments) {
  const MetisGraph graph = metis("% a path\n3 2\n2\n% in between\n 1\t3 \r\n2");
  EXPECT_EQ(graph.begin, (std::vector<std::uint64_t>{0, 1, 3, 4}));
  EXPECT_EQ(graph.neighbours, (std::vector<std::uint32_t>{1, 0, 2, 1}));
  EXPECT_EQ(graph.numbers_a_vertex(), 0U);
}

TEST_F(GraphMetis, EveryFormatCode) {
  for (int code = 0; code < 8; ++code) {
    const bool sizes = (code & 4) != 0, weights = (code & 2) != 0, edges = (code & 1) != 0;
    std::string text = "3 2 " + std::to_string(code / 4) + std::to_string(code / 2 % 2) +
                       std::to_string(code % 2) + "\n";
    const std::vector<std::vector<std::pair<int, int>>> rows{
        {{2, 70}}, {{1, 70}, {3, 80}}, {{2, 80}}};
    for (int vertex = 0; vertex < 3; ++vertex) {
      if (sizes) text += std::to_string(10 + vertex) + " ";
      if (weights) text += std::to_string(20 + vertex) + " ";
      for (const auto& [id, weight] : rows[static_cast<std::size_t>(vertex)])
        text += std::to_string(id) + (edges ? " " + std::to_string(weight) + " " : " ");
      text += "\n";
    }
    const MetisGraph graph = metis(text);
    EXPECT_EQ(graph.neighbours, (std::vector<std::uint32_t>{1, 0, 2, 1})) << text;
    EXPECT_EQ(graph.edge_weights,
              edges ? (std::vector<std::uint32_t>{70, 70, 80, 80}) : std::vector<std::uint32_t>{});
    const AffinityGraph affinity = read_metis_graph(path("m.graph"));
    check(affinity, "read");
    EXPECT_EQ(affinity.weights, edges ? (std::vector<std::uint32_t>{70, 70, 80, 80})
                                      : std::vector<std::uint32_t>(4, 1));
    EXPECT_EQ(affinity.vertex_weights,
              weights ? (std::vector<std::uint32_t>{20, 21, 22}) : std::vector<std::uint32_t>{});
    write_metis(graph, path("back.graph"));
    EXPECT_EQ(metis(read("back.graph")), graph);
  }
}

TEST_F(GraphMetis, SeveralWeightsAreForPartitionersAlone) {
  const std::string text = "2 1 010 3\n1 2 3 2\n4 5 6 1\n";
  EXPECT_EQ(metis(text).vertex_numbers, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_NE(input_error([&] {
              static_cast<void>(read_metis_graph(path("m.graph")));
            }).find("3 weights a vertex"),
            std::string::npos);
  EXPECT_EQ(load(path("m.graph"), team_of(1)).edges(), 2U);
}

TEST_F(GraphMetis, RandomGraphsThereAndBack) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 30; ++round) {
    const std::uint32_t vertices = 1 + static_cast<std::uint32_t>(random() % 60);
    std::vector<std::map<std::uint32_t, std::uint32_t>> rows(vertices);
    for (std::uint64_t i = random() % 200; i-- > 0;) {
      const auto a = static_cast<std::uint32_t>(random() % vertices),
                 b = static_cast<std::uint32_t>(random() % vertices);
      if (a != b) rows[a][b] = rows[b][a] = static_cast<std::uint32_t>(1 + random() % 1000);
    }
    AffinityGraph graph;
    Edges edges;
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
      for (const auto& [other, weight] : rows[vertex]) {
        graph.neighbours.push_back(other);
        graph.weights.push_back(weight);
        edges.emplace_back(vertex, other);
      }
      graph.begin.push_back(graph.neighbours.size());
      if (round % 2 == 0) graph.vertex_weights.push_back(static_cast<std::uint32_t>(random() % 9));
    }
    write_metis_graph(graph, path("a.graph"));
    EXPECT_EQ(read_metis_graph(path("a.graph")), graph);
    for (const std::size_t chunk : {1, 7, 100})
      EXPECT_EQ(metis(read("a.graph"), chunk), metis(read("a.graph")));
    Graph loaded = load(path("a.graph"), team_of(3), {}, {.ids = TextOptions::Ids::keep});
    expect_graph(loaded, edges, vertices, team_of(3));
    save_metis(loaded, path("b.graph"));
    EXPECT_EQ(metis(read("b.graph")).neighbours, graph.neighbours);
    if (edges.empty() || metis(read("a.graph")).edge_weights.empty()) continue;
    const Graph weighed = load(path("a.graph"), team_of(2), {},
                               {.ids = TextOptions::Ids::keep, .values = {{"w", "3"}}});
    EXPECT_TRUE(std::ranges::equal(doubles(weighed, "w"), graph.weights));
    save_metis(weighed, path("c.graph"));
    EXPECT_EQ(metis(read("c.graph")).edge_weights, graph.weights);
  }
}

TEST_F(GraphMetis, TaskGraphsOfGraphFilesAndTextsAreTheSame) {
  const std::string text = write("a.graph", "4 3 1\n2 7\n1 7 3 2\n2 2 4 1\n3 1\n");
  const Graph loaded =
      load(text, team_of(2), {}, {.ids = TextOptions::Ids::keep, .values = {{"weight", "3"}}});
  save(loaded, path("a.atoll"));
  EXPECT_EQ(read_task_graph(path("a.atoll")), read_metis_graph(text));
  EXPECT_EQ(read_task_graph(text), read_metis_graph(text));
}

TEST_F(GraphMetis, TasksOfADirectedGraphShareWhateverTheEdgesDirection) {
  const Graph directed =
      load(write("d.el", "0 1 4\n1 0 9\n1 2 5\n2 2 8\n3 1 1\n3 1 6\n"), team_of(2),
           {.deduplicate = false}, {.ids = TextOptions::Ids::keep, .values = {{"weight", "3"}}});
  const AffinityGraph graph = task_graph_of(directed, "d");
  EXPECT_EQ(graph.begin, (std::vector<std::uint64_t>{0, 1, 4, 5, 6}));
  EXPECT_EQ(graph.neighbours, (std::vector<std::uint32_t>{1, 0, 2, 3, 1, 1}));
  EXPECT_EQ(graph.weights, (std::vector<std::uint32_t>{9, 9, 5, 6, 5, 6}));
  const Graph plain = load(write("p.el", "0 1 0\n"), team_of(1), {}, {.values = {{"other", "3"}}});
  EXPECT_EQ(task_graph_of(plain, "p").weights, (std::vector<std::uint32_t>{1, 1}));
  for (const char* weight : {"0", "-1", "1.5", "4294967296"}) {
    const Graph wrong = load(write("w.el", fmt::format("0 1 {}\n", weight)), team_of(1), {},
                             {.values = {{"weight", "3"}}});
    EXPECT_EQ(input_error([&] { static_cast<void>(task_graph_of(wrong, "w.el")); }),
              fmt::format(
                  "w.el: edge 0 has the weight {}; weights are whole numbers from 1 to 4294967295",
                  weight));
  }
}

TEST_F(GraphMetis, IsToldFromAnEdgeListByContent) {
  EXPECT_TRUE(is_metis_graph("4 3\n2\n1 3\n2 4\n3\n", "m.txt"));
  EXPECT_TRUE(is_metis_graph("% c\n4 2\n2\n1\n4\n3\n", "m.txt"));
  EXPECT_TRUE(is_metis_graph("3 1 011\n5 2 9\n5 1 9\n5\n", "m.txt"));
  EXPECT_FALSE(is_metis_graph("4 3\n1 2\n2 3\n3 4\n", "edges after a line of sizes"));
  EXPECT_FALSE(is_metis_graph("0 1\n1 2\n2 0\n", "edges from 0"));
  EXPECT_FALSE(is_metis_graph("3 2\n1 2 5\n2 3 5\n", "edges with values after a line of sizes"));
  EXPECT_FALSE(is_metis_graph("9 4\n2 3 8\n1 9\n", "cut off"));
  EXPECT_FALSE(is_metis_graph("4 3\n2\n1 4\n3\n3\n", "asymmetric"));
  EXPECT_FALSE(is_metis_graph("# 4 3\n4 3\n2\n1 3\n2 4\n3\n", "a comment of edge lists"));
  EXPECT_FALSE(is_metis_graph("", ""));
  for (const char* name : {"m.graph", "m.graph.gz", "a.tar(m.graph)x.graph.zst"})
    EXPECT_TRUE(is_metis_graph("1 2\n2 1\n", name));
  EXPECT_FALSE(is_metis_graph("1 2\n2 1\n", "graph.el"));
}

TEST_F(GraphMetis, EveryMistakeHasItsLine) {
  expect_error("% nothing\n", ":1: the file ends before its first line");
  expect_error("3\n", ":1: this is no first line");
  expect_error("3 x\n", ":1: this is no first line");
  expect_error("-3 2\n", ":1: this is no first line");
  expect_error("3 2 12\n", ":1: the format '12' is unknown");
  expect_error("3 2 1 4\n", ":1: the number of weights a vertex doesn't fit");
  expect_error("3 2 10 0\n", ":1: the number of weights a vertex doesn't fit");
  expect_error("9999999999999 2\n", ":1: too large");
  expect_error("3 2\n2\n1 3\n", ":1: this line gives 3 vertices, but the file has 2 lines");
  expect_error("2 1\n2\n1\n\n1\n", ":5: a line behind those of the 2 vertices");
  expect_error("% c\n3 3\n2\n1 3\n2\n", ":2: this line gives 3 edges, but the file has 2");
  expect_error("3 2\n2\n% c\n1\n\n", ":1: this line gives 2 edges, but the file has 1");
  expect_error("3 2\n2\n% c\n1 3\n\n", ":4: vertex 2 has the neighbour 3, whose line lacks 2");
  expect_error("3 2\n\n1 3\n2\n", ":3: vertex 2 has the neighbour 1, whose line lacks 2");
  expect_error("3 2\n2 3\n1 3\n2\n", ":2: vertex 1 has the neighbour 3, whose line lacks 1");
  expect_error("2 1 1\n2 5\n1 6\n", ":2: the edge to 2 weighs 5 here and 6 in line 3");
  expect_error("2 1 1\n2 -5\n1 -5\n", ":2: the edge's weight '-5' is negative");
  expect_error("2 1 1\n2 0\n1 0\n", ":2: the edge's weight 0 is not from 1");
  expect_error("2 1 1\n2\n1 1\n", ":2: the line ends before the edge's weight");
  expect_error("2 1 10\n-1 2\n1 1\n", ":2: the vertex's weight '-1' is negative");
  expect_error("2 1 100\n1 2\n-4 1\n", ":3: the vertex's size '-4' is negative");
  expect_error("2 1 10\n1 2\n\n", ":3: the line ends before the vertex's weight");
  expect_error("2 1\n3\n1\n", ":2: the neighbour 3 is not from 1 to 2");
  expect_error("2 1\n0\n1\n", ":2: the neighbour 0 is not from 1 to 2");
  expect_error("2 1\n2.5\n1\n", ":2: the neighbour '2.5' is no whole number");
  expect_error("2 1\n2\n2\n", ":3: vertex 2 is its own neighbour");
  expect_error("2 2\n2 2\n1 1\n", ":2: the neighbour 2 is there twice");
}

TEST_F(GraphMetis, AGraphThatCannotBeOneIsNotWritten) {
  const auto refused = [&](const Edges& edges, const BuildOptions& build = {}) {
    const Graph graph = from_edges(edges, team_of(1), build);
    const long before = files();
    const std::string message = input_error([&] { save_metis(graph, path("no.graph")); });
    EXPECT_EQ(files(), before);
    return message;
  };
  EXPECT_NE(refused({{0, 1}}).find("the edge from 0 to 1 goes one way"), std::string::npos);
  EXPECT_NE(refused({{1, 1}}).find("--drop-self-loops"), std::string::npos);
  EXPECT_NE(refused({{0, 1}, {0, 1}, {1, 0}}, {.deduplicate = false}).find("twice"),
            std::string::npos);
}

}  // namespace
}  // namespace Atoll::graph
