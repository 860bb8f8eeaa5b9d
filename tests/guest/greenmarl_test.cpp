// The programs of apps/greenmarl, compiled as by `atoll compile`. Each gives the same results with
// every layout, and every page is on the node of its layout. tests/e2e/test_greenmarl_apps_*.py
// compare the results with libraries.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace Atoll {
namespace {

/// Graphs of more than 10^4 nodes and, for programs whose work grows faster, of more than 10^3.
constexpr const char* kLarge = "/large.atoll";
constexpr const char* kSmall = "/small.atoll";

struct Program {
  const char* name;
  const char* graph;
  const char* arguments;
  std::vector<const char*> results;
  /// True if the program's result depends on the order of iterations, according to its warnings.
  bool depends_on_order = false;
};

const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"pagerank", kLarge, "--arg e=1e-9 --arg d=0.85 --arg max=20", {"pg_rank"}},
      {"hop_dist", kLarge, "--arg root=1", {"dist"}},
      {"sssp", kLarge, "--arg root=1", {"dist"}},
      {"sssp_path", kLarge, "--arg root=1 --arg goal=5000", {"dist", "path"}},
      {"sssp_path_adj", kLarge, "--arg root=1", {"dist"}},
      {"dijkstra", kSmall, "--arg root=1 --arg goal=700", {"prev", "via"}},
      {"bidir_dijkstra", kSmall, "--arg start=1 --arg goal=700", {"path"}},
      {"triangle_counting", kLarge, "", {"triangles"}},
      {"triangle_counting_directed", kLarge, "", {}},
      {"bc", kLarge, "--load roots=/roots", {"centrality"}},
      {"bc_all", kSmall, "--arg halve=false", {"centrality"}},
      {"bc_random", kLarge, "--arg k=3", {"centrality", "roots"}},
      {"bipartite_check", kLarge, "", {"left"}},
      {"kosaraju", kLarge, "", {"component"}},
      {"tarjan_scc", kLarge, "", {"component"}},
      {"adamic_adar", kLarge, "", {"alike"}},
      {"adamic_adar2", kSmall, "", {"alike"}},
      {"avg_teen_count", kLarge, "--arg k=1 --load age=/age", {"teens"}},
      {"conductance", kLarge, "--load inside=/roots", {}},
      {"communities", kLarge, "--arg rounds=5", {"community"}},
      {"potential_friends", kLarge, "--arg asking=1", {"candidates", "known"}},
      {"random_bipartite_matching", kLarge, "--load is_left=/is_left", {}, true},
      {"random_node_sampling", kLarge, "--arg k=500", {"sample", "between"}},
      {"random_degree_sampling", kLarge, "--arg k=500", {"sample", "key"}},
      {"random_walk_sampling",
       kLarge,
       "--arg k=500 --arg jump=0.1 --arg steps=5000",
       {"found", "visits"}},
      {"parallel_walk_sampling",
       kLarge,
       "--arg walks=50 --arg steps=50 --arg back=0.1",
       {"sample", "visits"}},
      {"vertex_cover", kLarge, "", {}, true},
  };
  return all;
}

/// Results of a run: the saved files and the report.
struct Answer {
  std::vector<std::string> files;
  nlohmann::json report;
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Answer run(const Program& program, const std::string& layout) {
  std::string call = std::string("gm_") + program.name + " --graph " + program.graph + " " +
                     program.arguments + " --json " + layout;
  for (std::size_t i = 0; i < program.results.size(); ++i)
    call += std::string(" --save ") + program.results[i] + "=/saved" + std::to_string(i);
  EXPECT_EQ(std::system((call + " > /report").c_str()), 0) << call;
  Answer answer;
  for (std::size_t i = 0; i < program.results.size(); ++i)
    answer.files.push_back(content("/saved" + std::to_string(i)));
  answer.report = nlohmann::json::parse(content("/report"), nullptr, false);
  EXPECT_FALSE(answer.report.is_discarded()) << call;
  return answer;
}

void expect_in_place(const Answer& answer) {
  std::size_t pages = 0;
  for (const auto& array : answer.report["arrays"]) {
    if (!array["allocated"].get<bool>()) continue;
    for (const auto& copy : array["copies"]) {
      EXPECT_EQ(copy["misplaced"], 0) << array;
      for (const auto& count : copy["pages_by_node"]) pages += count.get<std::size_t>();
    }
  }
  EXPECT_GT(pages, 0U);
}

class ProgramInGuest : public testing::TestWithParam<std::size_t> {};

TEST_P(ProgramInGuest, GivesTheSameAnswerUnderEveryLayout) {
  const Program& program = programs()[GetParam()];
  const Answer expected = run(program, "--layout single --threads 1");
  const char* layouts = std::getenv("ATOLL_LAYOUTS");  // "--layout replicated", for example
  ASSERT_NE(layouts, nullptr);
  std::istringstream words(layouts);
  std::size_t runs = 0;
  for (std::string layout; std::getline(words, layout, ','); ++runs) {
    SCOPED_TRACE(std::string(program.name) + " " + layout);
    const Answer answer = run(program, layout);
    expect_in_place(answer);
    if (program.depends_on_order) continue;
    for (const char* scalar : {"returned", "outputs"})
      EXPECT_EQ(answer.report.value(scalar, nlohmann::json()),
                expected.report.value(scalar, nlohmann::json()));
    for (std::size_t i = 0; i < answer.files.size(); ++i)
      EXPECT_TRUE(answer.files[i] == expected.files[i]) << program.results[i];
  }
  EXPECT_GT(runs, 0U);
}

INSTANTIATE_TEST_SUITE_P(Apps, ProgramInGuest, testing::Range(std::size_t{0}, programs().size()),
                         [](const auto& one) { return std::string(programs()[one.param].name); });

}  // namespace
}  // namespace Atoll
