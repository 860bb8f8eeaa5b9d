// Data of the HTML report. If values are aggregated to limit the size, the data say so, and sums
// are unchanged. tests/e2e/test_report_html*.py test the page.
#include <gmock/gmock.h>

#include <numeric>

#include "atoll/base/json.hpp"
#include "profile/html.hpp"
#include "profile/html_parts.hpp"
#include "profile/html_tiles.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

using testing::ElementsAre;

TEST(ProfileHtml, ColumnsSumThreadsAndFirstTouches) {
  PageColumn column{.first_page = 7, .touched = {{2, 1}}, .accesses = {{1, 10, 1}, {4, 20, 2}}};
  column.add({.first_page = 8, .touched = {{0, 1}}, .accesses = {{0, 5, 0}, {4, 1, 1}, {9, 3, 3}}});
  column.add({.first_page = 9, .touched = {{2, 1}}, .accesses = {{1, 1, 1}}});
  EXPECT_EQ(column.first_page, 7);
  std::vector<std::uint64_t> flat;
  for (const ThreadCount& of : column.accesses)
    flat.insert(flat.end(), {of.thread, of.reads, of.writes});
  EXPECT_THAT(flat, ElementsAre(0, 5, 0, 1, 11, 2, 4, 21, 3, 9, 3, 3));
  ASSERT_EQ(column.touched.size(), 2);
  EXPECT_EQ(column.touched[1].pages, 2);
}

TEST(ProfileHtml, LevelsGoUpToOneTile) {
  for (const std::uint64_t pages : {1, 3, 4, 5, 511, 512, 513, 2048, 2049, 9000}) {
    TilePyramid pyramid(0);
    for (std::uint64_t page = 0; page < pages; ++page)
      pyramid.add({.first_page = page, .touched = {{0, 1}}, .accesses = {{0, 1, 0}}});
    EXPECT_EQ(pyramid.pages(), pages);
    const std::vector<TileLevel> levels = pyramid.finish();
    std::uint64_t columns = pages;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      EXPECT_EQ(levels[i].pages_a_column, std::uint64_t{1} << 2 * i);
      EXPECT_EQ(levels[i].tiles.size(), (columns + 511) / 512) << pages << " pages, level " << i;
      columns = (columns + 3) / 4;
    }
    EXPECT_EQ(levels.back().tiles.size(), 1);
    EXPECT_TRUE(levels.size() == 1 || levels[levels.size() - 2].tiles.size() > 1);
  }
}

TEST(ProfileHtml, MapsKeepToTheirBytes) {
  const Profile profile = hashsieve_like(20).build();
  std::vector<std::uint32_t> objects(profile.recording.objects.size());
  std::iota(objects.begin(), objects.end(), 0U);
  std::size_t before = ~std::size_t{0};
  for (const std::size_t bytes : {10'000'000, 200'000, 50'000, 5000, 0}) {
    HtmlData data;
    const Json maps = html_maps(profile, objects, bytes, data);
    EXPECT_LE(data.bytes(), bytes);
    ASSERT_EQ(maps.size(), objects.size());
    std::size_t levels = 0;
    if (bytes == 10'000'000) {
      EXPECT_EQ(maps[0]["levels"][0]["pages_a_column"], 1);
    }
    for (const Json& map : maps) {
      levels += map["levels"].size();
      for (std::size_t i = 1; i < map["levels"].size(); ++i)  // no level is skipped
        EXPECT_EQ(map["levels"][i]["pages_a_column"],
                  4 * map["levels"][i - 1]["pages_a_column"].get<int>());
    }
    EXPECT_LE(levels, before);
    before = levels;
  }
  EXPECT_EQ(before, 0);  // no space for any line
}

TEST(ProfileHtml, MatricesKeepToTheirBytes) {
  const Profile profile = hashsieve_like(2).build();
  const Places places = places_of(profile, Machine::open("xeon-x7550"));
  HtmlData all;
  EXPECT_EQ(html_communication(profile, places, 1'000'000, all)["block"], 1);
  HtmlData data;
  const Json less = html_communication(profile, places, all.bytes() / 3, data);
  EXPECT_LE(data.bytes(), all.bytes() / 3);
  const auto block = less["block"].get<std::size_t>();
  EXPECT_GT(block, 1);
  EXPECT_EQ(less["order"].size(), (64 + block - 1) / block);
}

TEST(ProfileHtml, PagesSumWhatThousandsOfProcessesDid) {
  Summary summary;
  summary.traffic = 10'000;
  summary.processes.push_back({.name = "app", .threads = 4, .accesses = 50'000, .traffic = 9'000});
  for (int i = 0; i < 3000; ++i)
    summary.processes.push_back({.name = "true", .threads = 1, .accesses = 3, .traffic = 0});
  for (int i = 0; i < 1000; ++i)
    summary.processes.push_back(
        {.name = "script" + std::to_string(i), .threads = 1, .accesses = 3, .traffic = 1});
  summary.processes.push_back({.name = "rest", .threads = 2, .accesses = 40, .traffic = 11});
  const Json all = html_processes(summary);
  ASSERT_EQ(all["busy"].size(), 2);
  EXPECT_EQ(all["busy"][0]["name"], "app");
  EXPECT_EQ(all["busy"][1]["name"], "rest");  // more than a thousandth of the traffic
  EXPECT_EQ(all["idle"].size(), kHtmlIdleNames);
  std::size_t shown = 0;
  for (const Json& one : all["idle"]) shown += one["count"].get<std::size_t>();
  EXPECT_EQ(shown + all["idle_left_out"].get<std::size_t>(), 4000);
}

TEST(ProfileHtml, GridsKeepToTheirBytes) {
  const Profile profile = random_run(4).build();
  const Machine machine = Machine::open("xeon-x7550");
  const Places places = places_of(profile, machine);
  const PagesByNode pages = pages_by_node(profile, places);
  HtmlData all, data;
  EXPECT_EQ(html_exclusivity(pages, places, {}, 1'000'000, all)["columns"], 200);
  EXPECT_LT(html_exclusivity(pages, places, {}, all.bytes() / 2, data)["columns"].get<int>(), 200);
  EXPECT_LE(data.bytes(), all.bytes() / 2 + 2);
}

TEST(ProfileHtml, GridCells) {
  const FineGrid grid;
  const auto cell = [&](std::vector<std::uint64_t> accesses) {
    const std::uint32_t at = grid.cell(accesses);
    return std::pair(at % grid.columns, at / grid.columns);
  };
  EXPECT_EQ(cell({1, 0, 0, 0}), std::pair(199U, 0U));
  EXPECT_EQ(cell({25, 25, 25, 25}), std::pair(0U, 40U));
  EXPECT_EQ(cell({0, 625, 375, 0}), std::pair(100U, 60U));  // halfway from 25 % to 100 %
  EXPECT_EQ(cell({7}), std::pair(199U, 16U));               // one node: all pages are exclusive
}

TEST(ProfileHtml, TreesKeepToTheirBytes) {
  SyntheticRun run(2);
  std::uint64_t accesses = 0;
  for (int i = 0; i < 50; ++i) {
    const std::uint32_t object = run.object("make" + std::to_string(i), i, 4096);
    run.touch(1, object, 0, 100 + i, 0);
    accesses += 100 + i;
  }
  const Profile profile = run.build();
  const Json all = html_tree(profile, 1'000'000);
  EXPECT_EQ(all["levels"].size(), 51);
  EXPECT_EQ(all["left_out"], 0);
  const Json less = html_tree(profile, 2000);
  EXPECT_EQ(less["levels"].size() + less["left_out"].get<std::size_t>(), 51);
  EXPECT_GT(less["left_out"].get<int>(), 30);
  EXPECT_EQ(less["levels"][0]["name"], "main");
  EXPECT_EQ(less["levels"][0]["reads"], accesses);
  EXPECT_EQ(less["levels"][1]["name"], "make49");
}

TEST(ProfileHtml, AffinityOrder) {
  CommunicationMatrix matrix(8);
  for (const auto& [a, b, amount] :
       {std::tuple(0, 4, 9), {4, 2, 8}, {2, 6, 7}, {1, 5, 9}, {5, 7, 2}})
    matrix.set(a, b, amount);
  // Two chains, 0-4-2-6 and 1-5-7, and thread 3, which doesn't communicate.
  const std::vector<std::uint32_t> order = affinity_order(matrix);
  EXPECT_EQ(order.back(), 3U);
  std::vector<std::uint32_t> sorted = order;
  std::ranges::sort(sorted);
  EXPECT_THAT(sorted, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const auto at = [&](std::uint32_t thread) {
    return std::ranges::find(order, thread) - order.begin();
  };
  for (const auto& [a, b] : {std::pair(0, 4), {4, 2}, {2, 6}, {1, 5}, {5, 7}})
    EXPECT_EQ(std::abs(at(a) - at(b)), 1) << a << " and " << b;
  EXPECT_TRUE(affinity_order(CommunicationMatrix(0)).empty());
}

TEST(ProfileHtml, Base64OfParts) {
  HtmlData data;
  EXPECT_EQ(data.add("Man").offset, 0);
  EXPECT_EQ(data.add("M").offset, 3);
  EXPECT_EQ(data.add(std::string("\xff\xfe", 2)).offset, 6);
  EXPECT_EQ(data.base64(), "TWFuTQAA//4A");
}

}  // namespace
}  // namespace Atoll::profile
