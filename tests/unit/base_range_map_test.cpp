// Maps of number ranges, compared with a model that has one entry per number.
#include "base/range_map.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <set>
#include <string>

namespace Atoll {
namespace {

constexpr std::uint64_t kSize = 24;
using Model = std::array<std::optional<int>, kSize>;

void expect_equal(const RangeMap<int>& map, const Model& model) {
  std::uint64_t last = 0;
  for (const auto& [begin, rest] : map.all()) {
    EXPECT_LE(last, begin);
    EXPECT_LT(begin, rest.end);
    last = rest.end;
  }
  for (std::uint64_t at = 0; at < kSize; ++at) {
    const int* const value = map.value_at(at);
    ASSERT_EQ(value != nullptr, model[at].has_value()) << at;
    if (value != nullptr) ASSERT_EQ(*value, *model[at]) << at;
    const auto found = map.find(at);
    ASSERT_EQ(found != map.all().end(), value != nullptr);
  }
}

TEST(RangeMap, DoesAsAMapOfEachNumber) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    RangeMap<int> map;
    Model model{};
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t begin = random() % kSize, end = random() % (kSize + 1);
      const int value = static_cast<int>(random() % 4);
      const auto each = [&](auto&& change) {
        for (std::uint64_t at = begin; at < end; ++at) change(model[at]);
      };
      switch (random() % 5) {
        case 0: {
          const auto at = map.assign(begin, end, value);
          EXPECT_EQ(at == map.all().end(), begin >= end);
          each([&](auto& one) { one = value; });
          break;
        }
        case 1:
          map.erase(begin, end);
          each([](auto& one) { one.reset(); });
          break;
        case 2:
          map.update(begin, end, [&](int& one) { one += value; });
          each([&](auto& one) { one = one.value_or(0) + value; });
          break;
        case 3:
          map.update_known(begin, end, [&](int& one) { one = value; });
          each([&](auto& one) {
            if (one) one = value;
          });
          break;
        default:
          map.join(begin, end);
      }
      expect_equal(map, model);
      std::set<std::uint64_t> visited;
      map.for_each(begin, end, [&](std::uint64_t first, std::uint64_t last, int one) {
        for (; first < last; ++first) {
          EXPECT_EQ(model[first], one);
          EXPECT_TRUE(visited.insert(first).second);
        }
      });
      for (std::uint64_t at = begin; at < end; ++at)
        EXPECT_EQ(visited.contains(at), model[at].has_value());
    }
  }
}

TEST(RangeMap, JoinsEqualRangesThatMeet) {
  RangeMap<std::string> map;
  map.assign(0, 4, "a");
  map.assign(4, 8, "a");
  map.assign(9, 12, "a");
  map.assign(12, 14, "b");
  map.join(4, 8);
  EXPECT_EQ(map.all().size(), 3);
  EXPECT_EQ(map.all().at(0).end, 8);
  map.assign(8, 9, "a");
  map.join(8, 9);
  EXPECT_EQ(map.all().size(), 2);
  EXPECT_EQ(map.all().at(0).end, 12);
}

TEST(RangeSet, JoinsWhatTouches) {
  RangeSet set;
  set.insert(2, 4);
  set.insert(6, 8);
  set.insert(4, 6);
  set.insert(5, 5);
  set.insert(10, 12);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  set.for_each(3, 11,
               [&](std::uint64_t begin, std::uint64_t end) { found.emplace_back(begin, end); });
  EXPECT_EQ(found, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 8}, {10, 11}}));
}

}  // namespace
}  // namespace Atoll
