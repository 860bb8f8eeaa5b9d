// Formats with a header: detection, and the nodes and edges that they specify.
#include <gmock/gmock.h>

#include "graph/dictionary.hpp"
#include "graph/edge_lines.hpp"
#include "graph/input_file.hpp"
#include "graph/load_text.hpp"
#include "graph/real_number.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GraphFormats : public GraphTest {
 protected:
  /// Loads in chunks of a few bytes.
  Graph graph_of(const std::string& text, const TextOptions& options = {}, int threads = 2,
                 const std::string& name = "text") const {
    InputFile file(write(name, text));
    TextReader reader(file, 7);
    return load_text(reader, team_of(threads), {{}, options, std::uint64_t{1} << 30});
  }
  std::string error_of(const std::string& text, const TextOptions& options = {}) const {
    return input_error([&] { static_cast<void>(graph_of(text, options)); });
  }
};

const TextOptions kThird{.values = {{"w", "3"}}};

TEST_F(GraphFormats, MatrixMarketWithOnePercentOrBlanks) {
  const std::string rest =
      "MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 1\n4 4\n";
  for (const std::string before : {"%%", "%", "  %%", "\t% ", "\n\n%%", " \n %"}) {
    const Graph graph = graph_of(before + rest);
    EXPECT_EQ(graph.nodes(), 4U) << before;
    EXPECT_EQ(edges_of(graph), (Edges{{0, 1}, {0, 2}, {1, 0}, {2, 0}, {3, 3}})) << before;
  }
  // An edge list with a comment that names the Matrix Market format.
  EXPECT_EQ(graph_of("% a MatrixMarket file, converted\n0 1\n").edges(), 1U);
  EXPECT_EQ(graph_of("%%% MatrixMarket\n0 1\n").edges(), 1U);
}

TEST_F(GraphFormats, MatrixMarketCommentsAfterBlanks) {
  const Graph graph = graph_of(
      "%%MatrixMarket matrix coordinate real general\n \t % x\n\n  %\n   2 2 2\n 1 2 0.5\n  2 1 "
      "4\n",
      kThird);
  EXPECT_EQ(edges_of(graph), (Edges{{0, 1}, {1, 0}}));
  EXPECT_THAT(doubles(graph, "w"), ElementsAre(0.5, 4));
}

TEST_F(GraphFormats, MatrixMarketUnsignedIntegers) {
  const Graph graph = graph_of(
      "%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 2\n1 2 "
      "18446744073709551615\n2 3 1\n",
      kThird);
  EXPECT_EQ(graph.nodes(), 3U);
  EXPECT_THAT(doubles(graph, "w"), ElementsAre(0x1p64, 1));
}

TEST_F(GraphFormats, MatrixRowsWithoutEntriesAreNodes) {
  const Graph graph = graph_of("%%MatrixMarket matrix coordinate pattern general\n90 90 1\n7 80\n");
  EXPECT_EQ(graph.nodes(), 90U);
  EXPECT_EQ(edges_of(graph), (Edges{{6, 79}}));
  EXPECT_FALSE(graph.has_labels());
}

TEST_F(GraphFormats, DimacsShortestPaths) {
  const std::string text =
      "c comment\nc\n\np sp 5 4\nc more\na 1 2 803\na 4 3 2\n  a\t2 1  7 \r\na 2 3 10\n";
  for (int threads = 1; threads <= 3; ++threads) {
    const Graph graph = graph_of(text, kThird, threads);
    EXPECT_EQ(graph.nodes(), 5U);
    EXPECT_EQ(edges_of(graph), (Edges{{0, 1}, {1, 0}, {1, 2}, {3, 2}}));
    EXPECT_THAT(doubles(graph, "w"), ElementsAre(803, 7, 10, 2));
  }
}

TEST_F(GraphFormats, DimacsFlows) {
  const Graph most = graph_of("p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 4\n", kThird);
  EXPECT_THAT(doubles(most, "w"), ElementsAre(5, 4));
  const Graph least = graph_of("p min 2 1\nn 1 4\nn 2 -4\na 1 2 0 9 3\n",
                               {.values = {{"low", "3"}, {"most", "4"}, {"cost", "5"}}});
  EXPECT_THAT(doubles(least, "low"), ElementsAre(0));
  EXPECT_THAT(doubles(least, "most"), ElementsAre(9));
  EXPECT_THAT(doubles(least, "cost"), ElementsAre(3));
}

TEST_F(GraphFormats, DimacsEdgesStandForBothDirections) {
  const Edges both{{0, 1}, {0, 3}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 0}, {3, 2}};
  const std::string edges = "e 1 2\ne 2 3\ne 3 4\ne 4 1\n";
  const std::string back = "e 2 1\ne 3 2\ne 4 3\ne 1 4\n";
  for (const std::string problem : {"edge", "col"}) {
    const std::string head = "c a cycle\np " + problem + " 4 ";
    EXPECT_EQ(edges_of(graph_of(head + "4\n" + edges)), both);
    // Some files contain each edge in both directions. Their header counts it once or twice.
    for (const std::string count : {"4", "8"})
      EXPECT_EQ(edges_of(graph_of(head + count + "\n" + edges + back)), both);
  }
  const Graph weighted = graph_of("p edge 2 1\ne 1 2 2.5\n", kThird);
  EXPECT_THAT(doubles(weighted, "w"), ElementsAre(2.5, 2.5));
}

TEST_F(GraphFormats, DimacsIsRecognisedBehindLongComments) {
  std::string comments;
  while (comments.size() < 6000) comments += "c one of many lines of comments\n";
  EXPECT_EQ(graph_of(comments + "p sp 2 1\na 1 2 5\n").edges(), 1U);
  comments.clear();
  while (comments.size() < 6000)
    comments += "c x\n";  // each comment line could also be an edge of
                          // labels
  EXPECT_EQ(graph_of(comments + "p sp 2 1\na 1 2 5\n", {}, 2, "g.gr").edges(), 1U);
  EXPECT_EQ(graph_of(comments, {.ids = TextOptions::Ids::relabel}).nodes(), 2U);
  // In an edge list of words, p and c are labels.
  EXPECT_EQ(graph_of("p q\nc p\n", {.ids = TextOptions::Ids::relabel}).nodes(), 3U);
}

TEST_F(GraphFormats, EveryMistakeInDimacsHasItsLine) {
  const std::vector<std::pair<std::string, std::string>> texts{
      {"c\np sp 3 1\na 1 4 5\n", ":3: node id 4 is beyond the 3 nodes that "},
      {"p sp 3 1\na 0 1 5\n", ":2: node id 0; ids count from 1"},
      {"p sp 3 1\na 1 2\n",
       ":2: an entry with 2 columns instead of 3; the line that begins with p"},
      {"p sp 3 1\ne 1 2\n", ":2: the line begins with 'e'; an edge begins with a"},
      {"p sp 3 1\na 1 x 5\n", ":2: 'x' is not a node id"},
      {"p sp 3 2\na 1 2 5\n", ":1: this line gives 2 edges, but the file has 1"},
      {"p col 3 3\ne 1 2\n", ":1: this line gives 3 edges, but the file has 1"},
      {"p sp 3 1\na 1 2 5\np sp 3 1\n", ":3: the line begins with 'p'"},
      {"p cnf 3 1\n1 2 0\n", ":1: the problem 'cnf' is not one that has a graph; write 'p sp|max"},
      {"p aux sp ss 3\ns 1\n", ":1: is an auxiliary file of DIMACS"},
      {"p sp 9000000000000000 1\na 1 2 5\n", ":1: too large: "},
  };
  for (const auto& [text, what] : texts) EXPECT_THAT(error_of(text), HasSubstr(what)) << text;
  EXPECT_THAT(
      error_of("p sp 2 1\na 1 2 5\n", {.ids = TextOptions::Ids::relabel, .given = {"--relabel"}}),
      HasSubstr("--relabel says nothing of a DIMACS graph"));
}

TEST_F(GraphFormats, KonectBipartiteHasTwoRangesOfNodes) {
  for (const std::string head :
       {"% bip unweighted\n% 4 3 2\n", "%bip unweighted\n", "%  bip\tpositive\n% 9 3 2\n"}) {
    const Graph graph = graph_of(head + "1 1\n1 2 \n2 1\n3 2\n");
    EXPECT_EQ(graph.nodes(), 5U) << head;
    EXPECT_EQ(edges_of(graph), (Edges{{0, 3}, {0, 4}, {1, 3}, {2, 4}})) << head;
  }
  const Graph rated = graph_of("% bip weighted\n% 1 4 9\n2 3 0.5 1234\n",
                               {.values = {{"stars", "3"}, {"at", "4"}}});
  EXPECT_EQ(rated.nodes(), 13U);
  EXPECT_EQ(edges_of(rated), (Edges{{1, 6}}));
  EXPECT_THAT(doubles(rated, "at"), ElementsAre(1234));
  // KONECT's other kinds of graphs are plain edge lists.
  EXPECT_EQ(graph_of("% asym unweighted\n% 1 3\n1 2\n").nodes(), 3U);
}

TEST_F(GraphFormats, EveryMistakeInKonectHasItsLine) {
  const std::string head = "% bip unweighted\n% 2 3 2\n";
  EXPECT_THAT(error_of(head + "1 1\n4 2\n"), HasSubstr(":4: node id 4 is beyond the 3 left nodes"));
  EXPECT_THAT(error_of(head + "1 1\n3 3\n"),
              HasSubstr(":4: node id 3 is beyond the 2 right nodes"));
  EXPECT_THAT(error_of(head + "1 0\n3 3\n"), HasSubstr(":3: node id 0; ids count from 1"));
  EXPECT_THAT(error_of(head + "1 1\n"),
              HasSubstr(":2: this line gives 2 edges, but the file has 1"));
  EXPECT_THAT(error_of("% bip unweighted\n% 1 9223372036854775807 9223372036854775807\n1 1\n"),
              HasSubstr(":2: too large"));
}

TEST_F(GraphFormats, RutherfordBoeingIsRefused) {
  const std::string text =
      "1SYMMETRIC STRUCTURE, A TITLE                                           KEY     \n"
      "             9             1             4             4             0\n"
      "rua                        5             5            13             0\n"
      "(26I3)          (26I3)          (3E23.15)           \n"
      "  1  4  7 10 12 14\n";
  EXPECT_THAT(error_of(text), HasSubstr("text: is a Rutherford-Boeing or Harwell-Boeing matrix, "
                                        "which isn't read; convert it to Matrix Market"));
  EXPECT_THAT(error_of(text, {.ids = TextOptions::Ids::relabel, .given = {"--relabel"}}),
              HasSubstr("Rutherford-Boeing"));
}

TEST_F(GraphFormats, NetworkxDictionaries) {
  const TextOptions weight{.values = {{"w", "weight"}}};
  const Graph graph = graph_of(
      "0 1 {'label': 'a, {b', 'weight': 0.5}\n1 2 {\"weight\": 2, 'x': [1, 2]}\n2 0 {}\n", weight);
  EXPECT_EQ(edges_of(graph), (Edges{{0, 1}, {1, 2}, {2, 0}}));
  const std::vector<double> values = doubles(graph, "w");
  EXPECT_EQ(values[0], 0.5);
  EXPECT_EQ(values[1], 2);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_THAT(error_of("0 1 {'weight': 'x'}\n", weight),
              HasSubstr(":1: ''x'' of 'weight' is not a number"));
  EXPECT_THAT(error_of("0 1 {'weight' 5}\n", weight), HasSubstr(":1: no dictionary with 'weight'"));
  EXPECT_THAT(error_of("0 1 {}\n1 0 {'wait': 5}\n", weight),
              HasSubstr("no edge has a value of 'weight'"));
  EXPECT_THAT(error_of("0 1 {'weight': 5}\n", kThird), HasSubstr("name the key: --value NAME=KEY"));
}

TEST(GraphDictionary, FindsKeysOutsideOfStringsAndBrackets) {
  const auto value = [](std::string_view text, std::string_view key) {
    const DictionaryEntry entry = find_in_dictionary(text, key);
    return !entry.well_formed ? "wrong" : std::string(entry.value.value_or("none"));
  };
  EXPECT_EQ(value(" {'a': 1} ", "a"), "1");
  EXPECT_EQ(value("{'a': (1, {'b': 2}), 'b':-3.5e2}", "b"), "-3.5e2");
  EXPECT_EQ(value(R"({'a\'': "'b': 1", 'b': 7})", "b"), "7");
  EXPECT_EQ(value("{'a': 1, 'a': 2}", "a"), "2");  // the last key wins
  EXPECT_EQ(value("{}", "a"), "none");
  EXPECT_EQ(value("{'a': 1,}", "b"), "none");
  for (const char* wrong :
       {"", "{", "}", "{'a': 1", "{'a': 1} x", "{'a': 1}}", "{'a': ]}", "{'a'}", "5", "{'a: 1}"})
    EXPECT_EQ(value(wrong, "a"), "wrong") << wrong;
}

TEST(GraphRealNumber, ReadsWhatCFortranAndPythonWrite) {
  const std::vector<std::pair<std::string, double>> right{{"1e9999", HUGE_VAL},
                                                          {"-1e9999", -HUGE_VAL},
                                                          {"1e-9999", 0},
                                                          {"1D+02", 100},
                                                          {"-2.5d-1", -0.25},
                                                          {"+3", 3},
                                                          {".5", 0.5},
                                                          {"1.", 1},
                                                          {"inf", HUGE_VAL},
                                                          {"-Infinity", -HUGE_VAL},
                                                          {"4e-320", 4e-320},
                                                          {"1D400", HUGE_VAL},
                                                          {"0.0001e311", 1e307},
                                                          {"1e99999999999999999999", HUGE_VAL},
                                                          {"1e-99999999999999999999", 0}};
  for (const auto& [word, number] : right) {
    double got = 7;
    EXPECT_TRUE(read_real(word, got)) << word;
    EXPECT_EQ(got, number) << word;
  }
  // Numbers with hundreds of digits.
  double got = 7;
  EXPECT_TRUE(read_real(std::string(400, '9'), got));
  EXPECT_EQ(got, HUGE_VAL);
  EXPECT_TRUE(read_real("0." + std::string(400, '0') + "1", got));
  EXPECT_EQ(got, 0);
  EXPECT_TRUE(read_real("-1e-9999", got));
  EXPECT_TRUE(std::signbit(got));
  EXPECT_TRUE(read_real("nan", got) && std::isnan(got));
  for (const char* wrong :
       {"", "+", "-", "+-1", "++1", "1D", "d5", "1e5d5", "0x10", "1,5", "5 ", "1d+"})
    EXPECT_FALSE(read_real(wrong, got)) << wrong;
}

TEST(GraphMessages, ShowUtf8) {
  EXPECT_EQ(in_quotes("Zürich"), "'Zürich'");
  EXPECT_EQ(in_quotes("東京"), "'東京'");
  EXPECT_EQ(in_quotes("😀x"), "'😀x'");
  EXPECT_EQ(in_quotes("a\x1b[1m\x7f"), "'a?[1m?'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'?\?'");              // a C1 control character (ISO 6429)
  EXPECT_EQ(in_quotes("\xc3"), "'?'");                    // incomplete sequence
  EXPECT_EQ(in_quotes("\xed\xa0\x80"), "'?\?\?'");        // an encoded surrogate
  EXPECT_EQ(in_quotes("\xc0\xafz"), "'?\?z'");            // overlong encoding
  EXPECT_EQ(in_quotes("\xf5\x80\x80\x80"), "'?\?\?\?'");  // above the last code point
  std::string umlauts;
  for (int i = 0; i < 30; ++i) umlauts += "ä";
  EXPECT_EQ(in_quotes(std::string_view(umlauts)), "'" + umlauts.substr(0, 48) + "…'");
}

TEST_F(GraphFormats, IdsBeyondNumbersGetTheWayOut) {
  for (const char* text : {"-1 5\n5 2\n", "18446744073709551615 3\n3 9223372036854775808\n"}) {
    EXPECT_THAT(error_of(text), HasSubstr("--relabel"));
    const Graph graph = graph_of(text, {.ids = TextOptions::Ids::relabel});
    EXPECT_EQ(graph.nodes(), 3U);
    EXPECT_EQ(graph.edges(), 2U);
  }
  // A Matrix Market file doesn't accept --relabel, so the message doesn't suggest it.
  EXPECT_THAT(error_of("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n-1 2\n"),
              testing::Not(HasSubstr("--relabel")));
}

}  // namespace
}  // namespace Atoll::graph
