// Atoll's graph file: saved graphs load unchanged; invalid content is refused.
#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "graph_checksums.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

class GraphFile : public GraphTest {
 protected:
  /// Returns a small file that has every section.
  std::string full_file() const {
    Graph graph = load(write("text",
                             "0 1 5 1\n0 2 6 -7\n1 2 7 9007199254740993\n"
                             "2 0 8 0\n3 3 9 -9007199254740993\n"),
                       team_of(1), {}, {.values = {{"v", "3"}, {"w", "4"}}});
    std::filesystem::remove(path("text"));
    for (const Section section : {Section::r_begin, Section::r_node_idx, Section::r_edge_idx})
      graph.require(section, team_of(1));
    read_labels(graph, write("labels", "a\nbb\n\nd\n"));
    save(graph, path("full"));
    return read("full");
  }
  std::string error(const std::string& content) const {
    const std::string where = write("bad", content);
    return input_error([&] { static_cast<void>(load(where, team_of(1))); });
  }
};

TEST_F(GraphFile, RoundTrips) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 12; ++round) {
    const std::uint64_t nodes = std::uint64_t{1} << (round + 6);
    Edges edges(nodes * 5);
    for (auto& [from, to] : edges) from = random() % nodes, to = random() % nodes;
    const BuildOptions build{.wide_ids = round % 3 == 2, .min_nodes = nodes};
    Graph graph = from_edges(edges, team_of(2), build);
    if (round % 2 == 1) graph.require(Section::r_begin, team_of(2));
    if (round % 4 == 1) graph.require(Section::r_node_idx, team_of(2));
    if (round % 4 == 3) graph.require(Section::r_edge_idx, team_of(2));
    save(graph, path("g"));
    EXPECT_EQ(files(), 1);
    Graph loaded = load(path("g"), team_of(1 + round % 3));
    for (int section = 0; section < kSections; ++section)
      EXPECT_EQ(loaded.has(Section{section}), graph.has(Section{section}));
    EXPECT_EQ(loaded.node_width(), graph.node_width());
    loaded.drop(Section::begin);  // the section is read again on its next use
    loaded.drop(Section::node_idx, 4096, 8192);
    expect_graph(loaded, expected_edges(edges, build), nodes, team_of(2));
  }
}

TEST_F(GraphFile, RoundTripsThroughText) {
  Edges edges{{0, 70000}, {70000, 3}, {5, 5}};
  for (std::uint64_t i = 0; i < 200000; ++i) edges.emplace_back(i % 70001, i * 7919 % 70001);
  const Graph graph = from_edges(edges, team_of(2));
  save_edge_list(graph, path("g.el"));
  Graph loaded = load(path("g.el"), team_of(2));
  EXPECT_EQ(edges_of(loaded), expected_edges(edges, {}));
  EXPECT_EQ(read("g.el").substr(0, 4), "0 0\n");
}

TEST_F(GraphFile, KeepsEverySectionAndLabel) {
  static_cast<void>(full_file());
  Graph graph = load(path("full"), team_of(2));
  for (int section = 0; section < kSections; ++section) EXPECT_TRUE(graph.has(Section{section}));
  expect_graph(graph, {{0, 1}, {0, 2}, {1, 2}, {2, 0}, {3, 3}}, 4, team_of(1));
  EXPECT_EQ(graph.value_names(), (std::vector<std::string>{"v", "w"}));
  EXPECT_THAT(doubles(graph, "v"), testing::ElementsAre(5, 6, 7, 8, 9));
  EXPECT_THAT(wholes(graph, "w"),
              testing::ElementsAre(1, -7, 9007199254740993, 0, -9007199254740993));
  EXPECT_EQ(graph.label(0) + "|" + graph.label(1) + "|" + graph.label(2) + "|" + graph.label(3),
            "a|bb||d");
}

TEST_F(GraphFile, TheSizeIsThatOfTheLoadedGraph) {
  const Edges edges{{0, 1}, {0, 1}, {7, 2}};
  for (const bool wide : {false, true}) {
    save(from_edges(edges, team_of(1), {.wide_ids = wide, .min_nodes = 20}), path("g"));
    const GraphSize size = size_of(path("g"), team_of(1));
    EXPECT_EQ(size, load(path("g"), team_of(1)).size());
    EXPECT_EQ(size.nodes, 20);
    EXPECT_EQ(size.edges, 2);
    EXPECT_EQ(size.edge_width, wide ? IdWidth::wide : IdWidth::narrow);
  }
  const std::string text = write("text", "0 1\n0 1\n7 2\n");
  EXPECT_EQ(size_of(text, team_of(1)), (GraphSize{.nodes = 8, .edges = 2}));
  EXPECT_THAT(input_error([&] {
                const std::string cut = write("cut", read("g").substr(0, 5000));
                static_cast<void>(size_of(cut, team_of(1)));
              }),
              testing::HasSubstr("5000 bytes instead of"));
}

TEST_F(GraphFile, EveryFlippedBitIsFound) {
  const std::string good = full_file();
  for (std::size_t byte = 0; byte < good.size(); byte += byte < 320 ? 1 : 97)
    for (int bit = 0; bit < 8; bit += byte < 64 ? 1 : 3) {
      std::string bad = good;
      bad[byte] = static_cast<char>(bad[byte] ^ (1 << bit));
      EXPECT_NE(error(bad), "") << "byte " << byte << " bit " << bit;
    }
}

TEST_F(GraphFile, EveryTruncationIsFound) {
  const std::string good = full_file();
  for (std::size_t size = 0; size < good.size(); size += size < 300 ? 1 : 1001)
    EXPECT_NE(error(good.substr(0, size)), "") << size;
  EXPECT_NE(error(good + '\0'), "");
  EXPECT_NE(error(good + std::string(4096, '\0')), "");
}

TEST_F(GraphFile, CraftedContentIsRefused) {
  const std::string good = full_file();
  const FileHead head = head_of(good);
  ASSERT_EQ(head.sections, 10U);
  ASSERT_EQ(error(with_checksums(good, head)), "");
  // Writes values into each section that would cause accesses beyond the arrays.
  const auto with_value = [&](std::size_t section, std::size_t index, std::uint32_t value) {
    std::string bad = good;
    std::memcpy(bad.data() + head.table[section].offset + index * 4, &value, 4);
    return error(with_checksums(bad, head));
  };
  using testing::HasSubstr;
  EXPECT_THAT(with_value(0, 0, 1), HasSubstr("values in section begin"));
  EXPECT_THAT(with_value(0, 1, 6), HasSubstr("values in section begin"));
  EXPECT_THAT(with_value(0, 4, 6), HasSubstr("values in section begin"));
  EXPECT_THAT(with_value(0, 4, 4), HasSubstr("values in section begin"));
  EXPECT_THAT(with_value(1, 2, 4), HasSubstr("values in section node_idx"));
  EXPECT_THAT(with_value(2, 2, 0xffffffff), HasSubstr("values in section r_begin"));
  EXPECT_THAT(with_value(3, 0, 4), HasSubstr("values in section r_node_idx"));
  EXPECT_THAT(with_value(4, 4, 5), HasSubstr("values in section r_edge_idx"));
  EXPECT_THAT(with_value(5, 9, 1), HasSubstr("values in section label offsets"));
  EXPECT_THAT(with_value(5, 8, 5), HasSubstr("values in section label offsets"));

  EXPECT_THAT(with_value(7, 0, 0x00007600), HasSubstr("names of values without an end"));
  EXPECT_THAT(with_value(7, 0, 0x77767876), HasSubstr("names of values without an end"));
  EXPECT_THAT(with_value(9, 0, 0x00000200), HasSubstr("values in section kinds of values"));

  // Changes fields of the head, and recomputes its checksum.
  const auto with_head = [&](auto&& change) {
    FileHead bad = head;
    change(bad);
    return error(with_checksums(good, bad));
  };
  EXPECT_THAT(with_head([](FileHead& h) { h.version = 4; }), HasSubstr("version 4"));
  EXPECT_THAT(with_head([](FileHead& h) { h.byte_order = 0x04030201; }), HasSubstr("byte order"));
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 20,
        std::uint64_t{0xffffffff}, std::uint64_t{1} << 61, UINT64_MAX, UINT64_MAX - 4095}) {
    EXPECT_NE(with_head([&](FileHead& h) { h.nodes = value; }), "") << value;
    EXPECT_NE(with_head([&](FileHead& h) { h.edges = value; }), "") << value;
    EXPECT_NE(with_head([&](FileHead& h) { h.file_bytes = value; }), "") << value;
    EXPECT_NE(with_head([&](FileHead& h) { h.node_bytes = static_cast<std::uint32_t>(value); }),
              "");
    EXPECT_NE(with_head([&](FileHead& h) { h.edge_bytes = static_cast<std::uint32_t>(value); }),
              "");
    EXPECT_NE(with_head([&](FileHead& h) { h.sections = value; }), "") << value;
    for (std::size_t i = 0; i < 9; ++i) {
      if (value != i + 1) {
        EXPECT_NE(with_head([&](FileHead& h) { h.table[i].kind = value; }), "")
            << i << " " << value;
      }
      EXPECT_NE(with_head([&](FileHead& h) { h.table[i].offset = value; }), "")
          << i << " " << value;
      EXPECT_NE(with_head([&](FileHead& h) { h.table[i].bytes = value; }), "") << i << " " << value;
    }
  }
  EXPECT_THAT(with_head([](FileHead& h) { h.node_bytes = 8; }), HasSubstr("width"));
  EXPECT_THAT(with_head([](FileHead& h) { h.sections = 6; }), HasSubstr("bytes behind"));
}

TEST_F(GraphFile, OnlyValuesNeedVersion2) {
  EXPECT_EQ(head_of(full_file()).version, 3U);
  save(from_edges({{0, 1}}, team_of(1)), path("plain"));
  EXPECT_EQ(head_of(read("plain")).version, 1U);
  // Format version 1 has no section for values.
  FileHead head = head_of(read("full"));
  head.version = 1;
  EXPECT_THAT(error(with_checksums(read("full"), head)), testing::HasSubstr("too many sections"));
}

TEST_F(GraphFile, SavingIsAllOrNothing) {
  const Graph graph = from_edges({{0, 1}}, team_of(1));
  EXPECT_THAT(input_error([&] { save(graph, path("none/g")); }), testing::HasSubstr("none/g"));
  EXPECT_THAT(input_error([&] { save_edge_list(graph, path(".")); }),
              testing::HasSubstr("directory"));
  EXPECT_EQ(files(), 0);
  write("g", "old");
  save(graph, path("g"));
  EXPECT_EQ(load(path("g"), team_of(1)).edges(), 1U);
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace Atoll::graph
