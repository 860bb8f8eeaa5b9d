// Layouts as text and JSON: written layouts can be read back, errors are reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "atoll/base/error.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll {
namespace {

using ::testing::HasSubstr;

std::vector<NodeId> nodes(std::initializer_list<std::uint32_t> numbers) {
  std::vector<NodeId> result;
  for (const auto number : numbers) result.push_back(NodeId{number});
  return result;
}

TEST(Layout, NodesInTheirOrderRunsFolded) {
  EXPECT_EQ(to_string(nodes({})), "");
  EXPECT_EQ(to_string(nodes({5})), "5");
  EXPECT_EQ(to_string(nodes({0, 1, 2, 3, 6})), "0-3,6");
  EXPECT_EQ(to_string(nodes({3, 2, 0, 1})), "3,2,0-1");
  EXPECT_EQ(to_string(nodes({0, 0, 0, 0, 1, 1, 1, 1, 3})), "0-1x4,3");
  EXPECT_EQ(to_string(nodes({0, 0, 1, 1, 1})), "0x2,1x3");
  EXPECT_EQ(to_string(nodes({0, 1, 0, 1})), "0-1,0-1");
}

TEST(Layout, Text) {
  EXPECT_EQ(to_string(Layout{SingleNode{NodeId{3}}, PageSize::small}), "on node 3, 4 KiB pages");
  EXPECT_EQ(to_string(Layout{Distributed{nodes({0, 2}), 4096}, PageSize::small}),
            "distributed over 0,2 by 4 KiB, 4 KiB pages");
  EXPECT_EQ(to_string(Layout{Partitioned{nodes({0, 0, 1, 1})}, PageSize::huge}),
            "partitioned over 0-1x2, 2 MiB pages");
  EXPECT_EQ(to_string(Layout{Replicated{nodes({0, 1, 2, 3, 4, 5, 6, 7})}, PageSize::huge}),
            "replicated on 0-7, 2 MiB pages");
}

TEST(Layout, Copies) {
  EXPECT_EQ((Layout{SingleNode{NodeId{3}}}).copies(), 1U);
  EXPECT_EQ((Layout{Distributed{nodes({0, 2})}}).copies(), 1U);
  EXPECT_EQ((Layout{Partitioned{nodes({0, 0, 1, 1})}}).copies(), 1U);
  EXPECT_EQ((Layout{Replicated{nodes({0, 2, 5})}}).copies(), 3U);
}

TEST(LayoutJson, Text) {
  EXPECT_EQ(to_json({SingleNode{NodeId{3}}, PageSize::small}),
            R"({"kind":"single","node":3,"pages":"4k"})");
  EXPECT_EQ(to_json({Partitioned{nodes({0, 2}), {7, 30}}, PageSize::pool_2m}),
            R"({"kind":"partitioned","nodes":[0,2],"ends":[7,30],"pages":"2m-pool"})");
  EXPECT_EQ(to_json({Distributed{nodes({0, 2}), 2 << 20}, PageSize::huge}),
            R"({"kind":"distributed","nodes":[0,2],"granule_bytes":2097152,"pages":"2m"})");
}

TEST(LayoutJson, ComesBackEqual) {
  std::mt19937 random(2);
  const auto draw = [&](std::uint32_t n) {
    return std::uniform_int_distribution(0U, n - 1)(random);
  };
  for (int i = 0; i < 500; ++i) {
    std::vector<NodeId> list;
    for (std::uint32_t n = 1 + draw(20); n > 0; --n) list.push_back(NodeId{draw(1000)});
    Layout layout;
    layout.pages = kPageSizes.at(draw(kPageSizes.size()));
    switch (draw(5)) {
      case 0:
        layout.where = SingleNode{list.front()};
        break;
      case 1:
        layout.where = Distributed{list, page_bytes(layout.pages) * (1 + draw(5))};
        break;
      case 2:
        layout.where = Partitioned{list};
        break;
      case 3: {
        Partitioned parts{list};
        while (parts.ends.size() < list.size())
          parts.ends.push_back((parts.ends.empty() ? 0 : parts.ends.back()) + draw(1000));
        layout.where = parts;
        break;
      }
      default:
        std::ranges::sort(list);
        list.erase(std::ranges::unique(list).begin(), list.end());
        std::ranges::shuffle(list, random);
        layout.where = Replicated{list};
    }
    ASSERT_EQ(layout_from_json(to_json(layout), "test"), layout) << to_json(layout);
  }
}

struct WrongJson {
  const char* text;
  const char* place;
  const char* what;
};

TEST(LayoutJson, EachErrorNamesThePlace) {
  const WrongJson wrongs[] = {
      {"", "plan.json:1:1", "not JSON"},
      {"{\"kind\":", "plan.json:1:9", "not JSON"},
      {"{} {}", "plan.json:1:4", "not JSON"},
      {"\xff", "plan.json:1:1", "not JSON"},
      {R"({"kind":"single","kind":"single"})", "plan.json:", "is there twice"},
      {"[]", "plan.json:", "is an object"},
      {"3", "plan.json:", "is an object"},
      {"{}", "plan.json:", "the key 'kind' is missing"},
      {R"({"kind":1,"pages":"4k"})", "plan.json: /kind", "must be a text"},
      {R"({"kind":"near","pages":"4k"})", "plan.json: /kind", "'near' is no kind"},
      {R"({"kind":"single","node":0})", "plan.json:", "the key 'pages' is missing"},
      {R"({"kind":"single","node":0,"pages":"3m"})", "plan.json: /pages", "'3m' is no page size"},
      {R"({"kind":"partitioned","nodes":[0,1],"ends":[1],"pages":"4k"})", "plan.json: /ends",
       "must be one number for each node"},
      {R"({"kind":"partitioned","nodes":[0,1],"ends":[2,1],"pages":"4k"})", "plan.json: /ends/1",
       "1 does not follow"},
      {R"({"kind":"partitioned","nodes":[0],"ends":[-2],"pages":"4k"})", "plan.json: /ends/0",
       "-2 is not a whole number"},
      {R"({"kind":"single","pages":"4k"})", "plan.json:", "the key 'node' is missing"},
      {R"({"kind":"single","node":-1,"pages":"4k"})", "plan.json: /node", "-1 is not"},
      {R"({"kind":"single","node":1.5,"pages":"4k"})", "plan.json: /node", "1.5 is not"},
      {R"({"kind":"single","node":"0","pages":"4k"})", "plan.json: /node", "must be a number"},
      {R"({"kind":"single","node":4294967295,"pages":"4k"})", "plan.json: /node",
       "4294967295 is not a whole number from 0 to 4294967294"},
      {R"({"kind":"single","node":0,"pages":"4k","nodes":[1]})",
       "plan.json:", "unknown key 'nodes'; known are kind, pages, node"},
      {R"({"kind":"replicated","pages":"4k"})", "plan.json:", "the key 'nodes' is missing"},
      {R"({"kind":"replicated","nodes":[],"pages":"4k"})", "plan.json: /nodes", "needs a node"},
      {R"({"kind":"replicated","nodes":0,"pages":"4k"})", "plan.json: /nodes", "must be a list"},
      {R"({"kind":"replicated","nodes":[1,2,1],"pages":"4k"})", "plan.json: /nodes",
       "two copies on node 1"},
      {R"({"kind":"partitioned","nodes":[0,null],"pages":"4k"})", "plan.json: /nodes/1",
       "must be a number"},
      {R"({"kind":"distributed","nodes":[0],"pages":"4k"})",
       "plan.json:", "the key 'granule_bytes' is missing"},
      {R"({"kind":"distributed","nodes":[0],"pages":"4k","granule_bytes":0})",
       "plan.json: /granule_bytes", "0 is not a multiple of the page"},
      {R"({"kind":"distributed","nodes":[0],"pages":"2m","granule_bytes":4096})",
       "plan.json: /granule_bytes", "4096 is not a multiple of the page"},
      {R"({"kind":"distributed","nodes":[0],"pages":"4k","granule_bytes":-4096})",
       "plan.json: /granule_bytes", "-4096 is not a whole number"},
  };
  for (const auto& [text, place, what] : wrongs) {
    try {
      static_cast<void>(layout_from_json(text, "plan.json"));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input) << text;
      EXPECT_THAT(error.what(), ::testing::StartsWith(place)) << text;
      EXPECT_THAT(error.what(), HasSubstr(what)) << text;
      EXPECT_THAT(error.what(), HasSubstr("; ")) << "no way out: " << text;
    }
  }
}

TEST(LayoutJson, DeepNestingIsAnErrorLikeAnyOther) {
  EXPECT_THROW(static_cast<void>(layout_from_json(std::string(1'000'000, '['), "x")), Error);
  const std::string deep = R"({"kind":"single","pages":"4k","node":)" + std::string(100'000, '[') +
                           std::string(100'000, ']') + "}";
  EXPECT_THROW(static_cast<void>(layout_from_json(deep, "x")), Error);
}

}  // namespace
}  // namespace Atoll
