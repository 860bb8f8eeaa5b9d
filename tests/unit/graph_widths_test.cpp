// Id widths that are determined before a graph is loaded: they equal those of the loaded graph.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "atoll/graph/graph.hpp"
#include "graph_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::graph {
namespace {

class GraphWidths : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  const TemporaryFolder folder_;
  const Team team_{ThreadPlaces(2), Team::Runtime::std_threads, false};
};

TEST_F(GraphWidths, OfAGraphFileAreInItsHead) {
  for (const bool wide : {false, true}) {
    const Graph graph = from_edges({{0, 1}, {1, 2}}, team_, {.wide_ids = wide});
    const std::string path = (folder_ / "g.atoll").string();
    save(graph, path);
    EXPECT_EQ(widths_of(path), (IdWidths{graph.node_width(), graph.edge_width()}));
    EXPECT_EQ(graph.node_width(), wide ? IdWidth::wide : IdWidth::narrow);
  }
}

TEST_F(GraphWidths, OfATextAreNarrowUnlessItIsHugeOrAMatrixSaysSo) {
  EXPECT_EQ(widths_of(file("a.el", "0 1\n1 2\n")), IdWidths{});
  EXPECT_EQ(widths_of(file("ids.el", "0 99999999999\n99999999999 7\n")), IdWidths{});
  EXPECT_EQ(load(file("ids.el", "0 99999999999\n99999999999 7\n"), team_).node_width(),
            IdWidth::narrow);
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n% a comment\n";
  EXPECT_EQ(widths_of(file("a.mtx", banner + "3 3 1\n1 2\n")), IdWidths{});
  EXPECT_EQ(widths_of(file("b.mtx", banner + "4294967295 4294967295 1\n1 2\n")), std::nullopt);
  EXPECT_THROW(static_cast<void>(widths_of(file("c.mtx", banner))), Error);
  EXPECT_EQ(widths_of(file("a.gr", "c x\np sp 3 1\na 1 2 5\n")), IdWidths{});
  EXPECT_EQ(widths_of(file("b.gr", "p sp 4294967295 1\na 1 2 5\n")), std::nullopt);
  EXPECT_EQ(widths_of(file("a.bip", "% bip unweighted\n% 1 2 3\n1 1\n")), IdWidths{});
  EXPECT_EQ(widths_of(file("b.bip", "% bip unweighted\n% 1 2 4294967295\n1 1\n")), std::nullopt);
  const std::string huge = file("huge.el", "0 1\n");
  std::filesystem::resize_file(huge, std::uint64_t{1} << 32);  // a sparse file
  EXPECT_EQ(widths_of(huge), std::nullopt);
}

TEST_F(GraphWidths, OfWhatIsPackedOrAPipeAreNotTold) {
  EXPECT_EQ(widths_of(file("a.gz", "\x1f\x8b\x08 and more")), std::nullopt);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(widths_of(pipe), std::nullopt) << "and nobody waits for its other end";
  EXPECT_EQ(widths_of("-"), std::nullopt);
  EXPECT_THROW(static_cast<void>(widths_of((folder_ / "none").string())), Error);
  EXPECT_THROW(static_cast<void>(widths_of(folder_.path().string())), Error);
}

}  // namespace
}  // namespace Atoll::graph
