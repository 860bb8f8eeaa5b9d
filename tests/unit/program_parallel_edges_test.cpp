// Values of parallel edges: according to docs/graph-programs.md, these get the values of their
// lines in the order of the file, wherever the lines are.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <vector>

#include "atoll/base/error.hpp"
#include "program/input_files.hpp"
#include "temporary_folder.hpp"

namespace Atoll::program {
namespace {

struct Line {
  std::uint32_t from = 0, to = 0;
  std::int64_t value = 0;
};

class ProgramParallelEdges : public testing::Test {
 protected:
  /// Returns a graph with few nodes, so that most edges are duplicated.
  graph::Graph some_graph() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    for (std::uint64_t i = 1 + random_() % 30; i > 0; --i)
      edges.emplace_back(random_() % 4, random_() % 4);
    edges.emplace_back(3, 0);  // ensures that node 3 exists
    return graph::from_edges(edges, team_, {.deduplicate = false});
  }
  /// Returns the value of each edge.
  std::vector<std::int64_t> load(const graph::Graph& graph, const std::vector<Line>& lines,
                                 const std::string& name) {
    const bool is_table = name.ends_with(".csv");
    const std::string between = is_table ? "," : " ", path = (folder_ / name).string();
    std::ofstream file(path);
    if (is_table) file << "from,to,weight\n";
    for (const Line& line : lines)
      file << line.from << between << line.to << between << line.value << '\n';
    file.close();
    const Names names(graph);
    std::vector<std::int64_t> values(graph.edges(), -1);
    load_elements(path, {.name = "weight",
                         .type = ValueType::int64,
                         .edges = true,
                         .count = graph.edges(),
                         .names = &names,
                         .value_names = &names,
                         .set = [&](std::uint64_t edge, Scalar value) {
                           values.at(edge) = std::get<std::int64_t>(value);
                         }});
    return values;
  }

  const TemporaryFolder folder_;
  const Team team_{ThreadPlaces(1), Team::Runtime::std_threads, false};
  std::mt19937 random_{41};
};

TEST_F(ProgramParallelEdges, TakeTheirLinesInOrder) {
  const graph::Graph graph =
      graph::from_edges({{0, 1}, {0, 1}, {0, 1}, {1, 0}}, team_, {.deduplicate = false});
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(load(graph, {{0, 1, 7}, {0, 1, 5}, {0, 1, 6}, {1, 0, 8}}, "in_order"),
            (Values{7, 5, 6, 8}));
  EXPECT_EQ(load(graph, {{1, 0, 8}, {0, 1, 7}, {0, 1, 5}, {0, 1, 6}}, "behind"),
            (Values{7, 5, 6, 8}));
  EXPECT_EQ(load(graph, {{0, 1, 7}, {1, 0, 8}, {0, 1, 5}, {0, 1, 6}}, "between.csv"),
            (Values{7, 5, 6, 8}));
  EXPECT_THROW(load(graph, {{0, 1, 7}, {0, 1, 5}, {0, 1, 6}, {0, 1, 8}}, "one_more"), Error);
  EXPECT_THROW(load(graph, {{0, 1, 7}, {0, 1, 5}, {1, 0, 8}}, "one_less"), Error);
}

TEST_F(ProgramParallelEdges, TakeTheirLinesInAnyOrderOfTheOthers) {
  for (int round = 0; round < 200; ++round) {
    const graph::Graph graph = some_graph();
    const Names names(graph);
    std::vector<Line> lines;
    for (std::uint32_t from = 0; from < 4; ++from)
      for (std::uint64_t edge = names.first_edge(from); edge < names.first_edge(from + 1); ++edge)
        lines.push_back({from, static_cast<std::uint32_t>(names.target(edge))});
    // The first lines may be in order of ids, which another code path reads.
    const auto kept = static_cast<std::ptrdiff_t>(random_() % (lines.size() + 1));
    std::shuffle(lines.begin() + kept, lines.end(), random_);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> in_order;
    for (Line& line : lines) {
      line.value = static_cast<std::int64_t>(random_() % 1000);
      in_order[{line.from, line.to}].push_back(line.value);
    }
    std::vector<std::int64_t> expected;  // values by edge: sorted by ends, then by line
    for (const auto& [ends, values] : in_order)
      expected.insert(expected.end(), values.begin(), values.end());
    EXPECT_EQ(load(graph, lines, round % 2 == 0 ? "lines" : "lines.csv"), expected);
  }
}

}  // namespace
}  // namespace Atoll::program
