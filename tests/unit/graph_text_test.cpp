// Loading of text graphs, compared with a naive parser, on random texts cut into tiny chunks. Also
// every error.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <random>
#include <ranges>
#include <thread>

#include "graph/digits.hpp"
#include "graph/input_file.hpp"
#include "graph/load_text.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

class GraphText : public GraphTest {
 protected:
  /// Loads with chunks of about `chunk_bytes`.
  Graph load_in_chunks(const std::string& text, std::size_t chunk_bytes, int threads,
                       const BuildOptions& build = {}) const {
    InputFile file(write("text", text));
    TextReader reader(file, chunk_bytes);
    return load_text(reader, team_of(threads), {build, {.ids = TextOptions::Ids::keep}});
  }
  /// Returns the error without the file name.
  std::string error(const std::string& text) const {
    const std::string where = write("bad", text);
    const std::string message = input_error(
        [&] { static_cast<void>(load(where, team_of(2), {}, {.ids = TextOptions::Ids::keep})); });
    EXPECT_TRUE(message.starts_with(where)) << message;
    return message.substr(std::min(message.size(), where.size()));
  }
};

/// Parses the text line by line and word by word.
Edges naive(const std::string& text) {
  Edges edges;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string from, to;
    if (!(words >> from) || from[0] == '#' || from[0] == '%') continue;
    words >> to;
    edges.emplace_back(std::stoull(from), std::stoull(to));
  }
  return edges;
}

std::string random_text(std::mt19937_64& random, int lines) {
  static const std::vector<std::string> blanks{" ", "\t", "  ", " \t", "\v", "\f "};
  const auto one_of = [&](const std::vector<std::string>& choices) {
    return choices[random() % choices.size()];
  };
  std::string text;
  for (int line = 0; line < lines; ++line) {
    if (random() % 8 == 0)
      text += one_of({"# a comment 1 2", "%", "", " \t ", "  # 5 6", "%% x"});
    else {
      if (random() % 8 == 0) text += one_of(blanks);
      const auto id = [&] {
        std::string digits = std::to_string(random() % (std::uint64_t{1} << (random() % 17)));
        if (random() % 8 == 0) digits.insert(0, random() % 14, '0');
        return digits;
      };
      text += id() + (random() % 4 == 0 ? one_of(blanks) : " ") + id();
      if (random() % 8 == 0) text += one_of({" 7", "\t0.5 99", "  ", " x y z"});
    }
    if (line + 1 < lines || random() % 2 == 0) text += random() % 4 == 0 ? "\r\n" : "\n";
  }
  return text + "\n1 1" + (random() % 2 == 0 ? "\n" : "");
}

TEST_F(GraphText, AgreesWithANaiveReader) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::string text = random_text(random, 1 + round * 5);
    const Edges edges = naive(text);
    const std::uint64_t nodes = std::ranges::max(edges | std::views::transform([](auto& e) {
                                                   return std::max(e.first, e.second);
                                                 })) +
                                1;
    for (const std::size_t chunk : {1UL, 7UL, 64UL, 4096UL}) {
      const BuildOptions build{.deduplicate = round % 2 == 0};
      Graph graph = load_in_chunks(text, chunk, 1 + round % 4, build);
      expect_graph(graph, expected_edges(edges, build), nodes, team_of(2));
    }
  }
}

TEST_F(GraphText, NumbersOfEveryLength) {
  std::mt19937_64 random(2);
  for (int digits = 1; digits <= 18; ++digits)
    for (int round = 0; round < 50; ++round) {
      std::string text;
      while (static_cast<int>(text.size()) < digits) text += static_cast<char>('0' + random() % 10);
      for (const char* behind : {" ", "\n", "x", "/", ":", "\xb0", "\xff", ".5"}) {
        const std::string padded = text + behind + "12345678";
        const char* at = padded.data();
        std::uint64_t number = 1;
        ASSERT_TRUE(parse_number(at, number));
        EXPECT_EQ(number, std::stoull(text)) << padded;
        EXPECT_EQ(at - padded.data(), digits);
      }
    }
  for (const char* none : {"x1234567", "-1234567", "1234567890123456789 123456"}) {
    const char* at = none;
    std::uint64_t number;
    EXPECT_FALSE(parse_number(at, number)) << none;
  }
}

TEST_F(GraphText, WideIdsArePairsOfTheirOwn) {
  const std::string text = "0 1\n5000000000 3\n9223372036854775807 7\n" + std::string(8, '\n');
  std::vector<EdgePair<std::uint64_t>> wide(max_edges(text));
  const std::string_view lines(text.data(), text.size() - 8);
  const ParsedLines parsed = parse_edge_lines(lines, LineFormat{}, wide.data());
  EXPECT_FALSE(parsed.error);
  EXPECT_EQ(parsed.edges, 3U);
  EXPECT_EQ(parsed.max_id, INT64_MAX);
  EXPECT_EQ(wide[1].from, 5000000000U);

  // Wide ids in one chunk, between chunks with narrow ids. No memory limit.
  InputFile file(write("text", "0 1\n2 3\n5000000000 4\n5 6\n"));
  TextReader reader(file, 4);
  ParsedText text_parsed = parse_edge_list(reader, team_of(3), {});
  EXPECT_EQ(text_parsed.nodes, 5000000001U);
  Edges edges;
  for (const auto& block : gather_blocks<std::uint64_t>(text_parsed.narrow, text_parsed.wide))
    for (std::size_t i = 0; i < block.used; ++i)
      edges.emplace_back(block.pairs[i].from, block.pairs[i].to);
  std::ranges::sort(edges);
  EXPECT_EQ(edges, (Edges{{0, 1}, {2, 3}, {5, 6}, {5000000000, 4}}));
}

TEST_F(GraphText, ReadsPipes) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string text;
  for (int i = 0; i < 300000; ++i) text += std::to_string(i % 1000) + " 1\n";
  std::thread writer([&] { std::ofstream(pipe) << text; });
  const Graph graph = load(pipe, team_of(2), {.deduplicate = false});
  writer.join();
  EXPECT_EQ(graph.edges(), 300000U);
}

TEST_F(GraphText, MatrixMarket) {
  const std::string head = "%%MatrixMarket matrix coordinate ";
  const auto edges = [&](const std::string& text) {
    Graph graph = load(write("m.mtx", text), team_of(2));
    EXPECT_EQ(graph.nodes(), 4U);
    return edges_of(graph);
  };
  const Edges one_way{{0, 1}, {1, 0}, {3, 3}};
  EXPECT_EQ(edges(head + "real general\n% c\n\n4 4 3\n1 2 0.5\n2 1 -1e3\n4 4 nan\n"), one_way);
  EXPECT_EQ(edges("%%matrixmarket MATRIX Coordinate Integer GENERAL\r\n4 4 3\r\n1 2 7\r\n\r\n% "
                  "x\r\n2 1 8\r\n4 4 9"),
            one_way);
  EXPECT_EQ(edges(head + "pattern general\n4\t4  3\n1 2\n2 1\n4 4"), one_way);
  EXPECT_EQ(edges(head + "complex general\n4 4 3\n1 2 0 1\n2 1 1 0\n4 4 1 1\n"), one_way);
  for (const std::string symmetry : {"symmetric", "skew-symmetric", "hermitian"})
    EXPECT_EQ(edges(head + "pattern " + symmetry + "\n4 4 3\n2 1\n4 4\n4 2\n"),
              (Edges{{0, 1}, {1, 0}, {1, 3}, {3, 1}, {3, 3}}));
  EXPECT_EQ(load(write("none.mtx", head + "pattern general\n3 3 0\n"), team_of(1)).nodes(), 3U);
  const Graph empty = load(write("empty.mtx", head + "pattern general\n0 0 0\n"), team_of(2));
  EXPECT_EQ(empty.nodes(), 0U);
  EXPECT_EQ(empty.edges(), 0U);
}

TEST_F(GraphText, EveryErrorNamesItsPlaceAndAWayOut) {
  EXPECT_THAT(input_error([&] { static_cast<void>(load(path("none"), team_of(1))); }),
              testing::HasSubstr("none: no such file"));
  EXPECT_THAT(input_error([&] { static_cast<void>(load(path("."), team_of(1))); }),
              testing::HasSubstr("is a directory"));
  const std::vector<std::pair<std::string, std::string>> texts{
      {"", ": the file is empty; "},
      {"# nothing\n\n", ": no edges in it; "},
      {"0 1\n\n# x\n2\n3 4\n", ":4: one node id only; "},
      {"0 1\n2", ":2: one node id only; "},
      {"0 1\nfoo bar\n", ":2: 'foo' is not a node id; "},
      {"0 1\n1 2x\n", ":2: '2x' is not a node id; "},
      {"0,1\n", ":1: '0,1' is not a node id; "},
      {"0 1.5\n", ":1: '1.5' is not a node id; "},
      {"+1 2\n", ":1: '+1' is not a node id; "},
      {"0 1\n1 -2\n", ":2: node id '-2' is negative; "},
      {"0 1\n-9999999999999999999999 2\n", " is negative; "},
      {"- 2\n", ":1: '-' is not a node id; "},
      {"0 9223372036854775808\n", ":1: node id '9223372036854775808' is beyond 2^63 - 1; "},
      {"0 99999999999999999999999\n", " is beyond 2^63 - 1; "},
      {"0 1\n7 9223372036854775807\n", ":2: node id 9223372036854775807 is too large: "},
      {"0 1\n1000000000000 7\nfoo\n", ":2: node id 1000000000000 is too large: "},
      {std::string("\x89\x00\x01\xff", 4), ":1: '?\?\?\?' is not a node id; "},
      {std::string(2 << 20, 'x'), ": a line of more than 1 MiB; "},
      {std::string(2 << 20, '1') + "\n", ": a line of more than 1 MiB; "},
  };
  for (const auto& [text, what] : texts) EXPECT_THAT(error(text), testing::HasSubstr(what));
}

TEST_F(GraphText, EveryMatrixMarketError) {
  const std::string head = "%%MatrixMarket matrix coordinate ";
  const std::vector<std::pair<std::string, std::string>> texts{
      {"%%MatrixMarkets matrix coordinate real general\n1 1 0\n",
       ":1: the first line isn't that of a Matrix Market file; "},
      {"%%MatrixMarket\n", ":1: the header hasn't five words; "},
      {head + "real general more\n1 1 0\n", ":1: the header hasn't five words; "},
      {"%%MatrixMarket vector coordinate real general\n", ":1: 'vector' is not a matrix; "},
      {"%%MatrixMarket matrix array real general\n2 2\n",
       ":1: the format 'array' can't be a graph; "},
      {head + "quaternion general\n", ":1: the field 'quaternion' is unknown; "},
      {head + "real wild\n", ":1: the symmetry 'wild' is unknown; "},
      {head + "real general\n% only\n", ":2: the file ends before its size line; "},
      {head + "real general\n3 3\n", ":2: this is no size line; "},
      {head + "real general\n3 3 1 1\n", ":2: this is no size line; "},
      {head + "real general\n-3 3 1\n", ":2: this is no size line; "},
      {head + "pattern general\n%\n2 3 1\n1 2\n", ":3: 2 rows and 3 columns; "},
      {head + "pattern general\n0 0 1\n1 1\n", ":3: node id 1 is beyond the 0 rows"},
      {head + "pattern general\n9000000000000 9000000000000 0\n", ":2: too large: "},
      {head + "pattern general\n2 2 1\n0 1\n", ":3: node id 0; "},
      {head + "pattern general\n2 2 2\n1 2\n1 3\n", ":4: node id 3 is beyond the 2 rows"},
      {head + "pattern general\n2 2 2\n1 2\n",
       ":2: this line gives 2 entries, but the file has 1; "},
      {head + "pattern general\n2 2 1\n1 2\n2 1\n",
       ":2: this line gives 1 entries, but the file has 2; "},
      {head + "pattern general\n2 2 1\n1 2 1\n", ":3: an entry with 1 values instead of 0; "},
      {head + "real general\n2 2 1\n1 2\n", ":3: an entry with 0 values instead of 1; "},
      {head + "complex general\n2 2 1\n1 2 1\n", ":3: an entry with 1 values instead of 2; "},
      {head + "real general\n2 2 1\n1\n", ":3: one node id only; "},
      {head + "real general\n2 2 1\n1 x 1\n", ":3: 'x' is not a node id; "},
  };
  for (const auto& [text, what] : texts) EXPECT_THAT(error(text), testing::HasSubstr(what));
}

TEST_F(GraphText, TheFirstErrorIsToldWhateverTheThreads) {
  std::string text;
  for (int line = 1; line <= 2000; ++line)
    text += line % 500 == 0 ? "bad " + std::to_string(line) + "\n" : "1 2\n";
  for (int threads = 1; threads <= 4; ++threads)
    for (int round = 0; round < 10; ++round)
      EXPECT_THAT(input_error([&] { static_cast<void>(load_in_chunks(text, 16, threads)); }),
                  testing::HasSubstr("text:500: 'bad'"));
}

TEST_F(GraphText, TooManyEdgesForTheMemoryAreRefused) {
  std::string text;
  for (int line = 0; line < 10000; ++line) text += "1 2\n";
  InputFile file(write("text", text));
  TextReader reader(file, 400);
  EXPECT_THAT(input_error([&] {
                static_cast<void>(load_text(reader, team_of(1), {{}, {}, 15000}));
              }),
              testing::HasSubstr(":1000: too large: 1,000 edges up to here take 15.6 KiB"));
}

TEST_F(GraphText, Labels) {
  Graph graph = from_edges({{0, 1}, {1, 2}}, team_of(1));
  EXPECT_FALSE(graph.has_labels());
  EXPECT_EQ(graph.label(2), "2");
  read_labels(graph, write("labels", "zero\r\n\none two"));
  EXPECT_TRUE(graph.has_labels());
  EXPECT_EQ(graph.label(0), "zero");
  EXPECT_EQ(graph.label(1), "");
  EXPECT_EQ(graph.label(2), "one two");
  for (const std::string wrong : {"", "a\nb\n", "a\nb\nc\nd\n"})
    EXPECT_THAT(input_error([&] { read_labels(graph, write("wrong", wrong)); }),
                testing::HasSubstr("labels for 3 nodes"));
}

}  // namespace
}  // namespace Atoll::graph
