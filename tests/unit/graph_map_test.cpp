// Map, compared with std::map and a scan of all values. Random operations are applied to both,
// including NaN and equal values.
#include "atoll/graph/map.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "atoll/graph/nil.hpp"
#include "atoll/parallel/for_each.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Sort key that is computed independently of the map: NaN is above infinity.
template <class T>
std::pair<bool, T> rank(T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) return {true, T{0}};
  return {false, value};
}

template <class K, class V>
struct MapOf {
  using Key = K;
  using Value = V;
  /// Maps a number to one of `range` different keys or values.
  template <class T>
  static T make(std::uint64_t number, std::uint64_t range) {
    number %= range;
    if constexpr (std::is_floating_point_v<T>) {
      if (number == range - 1) return std::numeric_limits<T>::quiet_NaN();
      if (number == range - 2) return -std::numeric_limits<T>::infinity();
      if (number == 0) return T{-0.0};
      return static_cast<T>(number) / 4 - 3;
    } else {
      return static_cast<T>(number);
    }
  }
};

template <class Types>
class GraphMap : public testing::Test {};
using KeysAndValues =
    testing::Types<MapOf<std::int32_t, std::int32_t>, MapOf<std::uint32_t, double>,
                   MapOf<double, std::uint64_t>, MapOf<float, float>, MapOf<bool, std::int64_t>,
                   MapOf<std::uint64_t, bool>, MapOf<std::int64_t, std::uint32_t>>;
TYPED_TEST_SUITE(GraphMap, KeysAndValues);

template <class V>
V neutral_of_min() {
  using Limits = std::numeric_limits<V>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}
template <class V>
V neutral_of_max() {
  using Limits = std::numeric_limits<V>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::min();
}

template <class K, class V>
using Model = std::map<std::pair<bool, K>, V>;

template <class K, class V>
void expect_extremes(Map<K, V>& map, const Model<K, V>& model) {
  ASSERT_FALSE(model.empty());
  auto least = model.begin(), greatest = model.begin();
  for (auto at = model.begin(); at != model.end(); ++at) {
    if (rank(at->second) < rank(least->second)) least = at;
    if (rank(greatest->second) < rank(at->second)) greatest = at;
  }
  ASSERT_EQ(rank(map.min_value()), rank(least->second));
  ASSERT_EQ(rank(map.max_value()), rank(greatest->second));
  ASSERT_EQ(rank(map.min_key()), least->first);
  ASSERT_EQ(rank(map.max_key()), greatest->first);
  for (const auto& [key, value] : map.items()) {
    ASSERT_EQ(map.has_min_value(key), rank(value) == rank(least->second));
    ASSERT_EQ(map.has_max_value(key), rank(value) == rank(greatest->second));
  }
}

TYPED_TEST(GraphMap, DoesWhatAStandardMapDoes) {
  using K = typename TypeParam::Key;
  using V = typename TypeParam::Value;
  std::mt19937_64 random(5);
  for (const std::uint64_t range : {3ULL, 20ULL, 90ULL, 2000ULL}) {
    const std::uint64_t keys = std::is_same_v<K, bool> ? 2 : range;
    const std::uint64_t values =
        std::is_same_v<V, bool> ? 2 : std::max<std::uint64_t>(range / 4, 3);
    Map<K, V> map;
    Model<K, V> model;
    for (int step = 0; step < 8000; ++step) {
      const K key = TypeParam::template make<K>(random(), keys);
      const V value = TypeParam::template make<V>(random(), values);
      const auto at = model.find(rank(key));
      ASSERT_EQ(map.has_key(key), at != model.end());
      ASSERT_EQ(rank(map.get(key, value)), rank(at == model.end() ? value : at->second));
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          map.set(key, value);
          model[rank(key)] = value;
          break;
        case 3: {  // NaN has no effect
          map.combine_min(key, value);
          V& known = model.try_emplace(rank(key), neutral_of_min<V>()).first->second;
          if (value < known) known = value;
          break;
        }
        case 4: {
          map.combine_max(key, value);
          V& known = model.try_emplace(rank(key), neutral_of_max<V>()).first->second;
          if (value > known) known = value;
          break;
        }
        case 5:
        case 6:
          map.remove(key);
          model.erase(rank(key));
          break;
        default:  // queries at random times, each of which makes the map sort its entries
          if (!model.empty() && random() % 16 == 0) expect_extremes(map, model);
          if (random() % 512 == 0) {
            map.clear();
            model.clear();
          }
      }
      ASSERT_EQ(map.size(), model.size());
      ASSERT_EQ(map.empty(), model.empty());
    }
    const auto items = map.items();
    ASSERT_EQ(items.size(), model.size());
    auto expected = model.begin();
    for (const auto& [key, value] : items) {
      EXPECT_EQ(rank(key), expected->first);
      EXPECT_EQ(rank(value), rank(expected->second));
      ++expected;
    }
    if (!model.empty()) expect_extremes(map, model);
  }
}

TEST(GraphMapMeaning, AMissingKeyReadsAsADefaultAndIsNotEntered) {
  Map<std::uint32_t, std::int64_t> numbers;
  EXPECT_EQ(numbers.get(3), 0);
  Map<std::uint32_t, bool> truths;
  EXPECT_FALSE(truths.get(3));
  Map<std::uint32_t, std::uint32_t> nodes;
  EXPECT_EQ(nodes.get(3, kNil<std::uint32_t>), kNil<std::uint32_t>);
  EXPECT_TRUE(numbers.empty() && truths.empty() && nodes.empty());
  EXPECT_FALSE(numbers.has_min_value(3));
  EXPECT_FALSE(numbers.has_max_value(3));
}

TEST(GraphMapMeaning, CombiningEntersAMissingKeyFromTheNeutralValue) {
  Map<std::uint32_t, std::int32_t> map;
  for (const int expected : {6, 36}) {
    map.combine_product(0, 6);
    EXPECT_EQ(map.get(0), expected);
  }
  map.combine_sum(1, 6);
  map.combine_sum(1, -8);
  EXPECT_EQ(map.get(1), -2);
  map.combine_min(2, 6);
  EXPECT_EQ(map.get(2), 6);
  map.combine_max(3, -6);
  EXPECT_EQ(map.get(3), -6);
  Map<bool, bool> truths;
  truths.combine_all(true, true);
  EXPECT_TRUE(truths.get(true));
  truths.combine_all(true, false);
  truths.combine_all(true, true);
  EXPECT_FALSE(truths.get(true));
  truths.combine_any(false, false);
  EXPECT_FALSE(truths.get(false));
  EXPECT_TRUE(truths.has_key(false));
  truths.combine_any(false, true);
  truths.combine_any(false, false);
  EXPECT_TRUE(truths.get(false));
  Map<std::uint32_t, double> reals;
  reals.combine_min(0, kNan);
  EXPECT_EQ(reals.get(0), std::numeric_limits<double>::infinity());
  reals.combine_max(1, kNan);
  EXPECT_EQ(reals.get(1), -std::numeric_limits<double>::infinity());
}

TEST(GraphMapMeaning, IntegersWrapRound) {
  Map<std::int32_t, std::int32_t> ints;
  ints.set(0, std::numeric_limits<std::int32_t>::max());
  ints.combine_sum(0, 2);
  EXPECT_EQ(ints.get(0), std::numeric_limits<std::int32_t>::min() + 1);
  ints.set(0, 1 << 30);
  ints.combine_product(0, 6);
  EXPECT_EQ(ints.get(0), std::numeric_limits<std::int32_t>::min());
  Map<std::int32_t, std::int64_t> longs;
  longs.set(0, std::numeric_limits<std::int64_t>::min());
  longs.combine_sum(0, -1);
  EXPECT_EQ(longs.get(0), std::numeric_limits<std::int64_t>::max());
  longs.set(0, std::int64_t{1} << 62);
  longs.combine_product(0, -2);
  EXPECT_EQ(longs.get(0), std::numeric_limits<std::int64_t>::min());
}

TEST(GraphMapMeaning, OfEqualValuesTheLowestKey) {
  for (const int size : {4, 400}) {  // 4 entries are scanned, 400 are sorted
    Map<std::int32_t, std::int32_t> map;
    for (int key = size; key-- > 0;) map.set(key, key % 2);
    EXPECT_EQ(map.min_key(), 0);
    EXPECT_EQ(map.max_key(), 1);
    map.set(0, 1);
    EXPECT_EQ(map.max_key(), 0);
    EXPECT_EQ(map.min_key(), 2);
    map.set(-5, 0);
    EXPECT_EQ(map.min_key(), -5);
    EXPECT_TRUE(map.has_min_value(2));
    EXPECT_FALSE(map.has_min_value(3));
  }
}

TEST(GraphMapMeaning, NanIsAboveEveryNumberAndAKeyLikeOthers) {
  Map<double, double> map;
  map.set(kNan, 1);
  map.set(-kNan, 2);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(map.get(kNan), 2);
  map.set(-0.0, 4);
  EXPECT_EQ(map.get(0.0), 4);
  map.set(std::numeric_limits<double>::infinity(), kNan);
  EXPECT_TRUE(std::isnan(map.max_value()));
  EXPECT_EQ(map.max_key(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(map.min_key()));
  EXPECT_TRUE(std::isnan(map.items().back().first));
}

TEST(GraphMapMeaning, CopiesAreOnTheirOwn) {
  Map<std::int32_t, std::int32_t> map;
  for (int key = 0; key < 100; ++key) map.set(key, 100 - key);
  EXPECT_EQ(map.min_key(), 99);
  Map<std::int32_t, std::int32_t> copy = map;
  copy.set(5, -1);
  EXPECT_EQ(copy.min_key(), 5);
  EXPECT_EQ(map.min_key(), 99);
  Map<std::int32_t, std::int32_t> moved = std::move(copy);
  EXPECT_EQ(moved.min_key(), 5);
  EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): a moved one is empty
  copy.set(1, 2);
  EXPECT_EQ(copy.max_key(), 1);
  map = moved;
  EXPECT_EQ(map, moved);
  EXPECT_EQ(map.min_key(), 5);
}

TEST(GraphMapMeaning, ThreadsThatLockLoseNothing) {
  for (const int threads : {1, 2, 4}) {
    Map<std::uint32_t, std::int64_t> map;
    for_each(team_of(threads), 30'000, LoopSchedule::dynamic, [&](std::size_t i) {
      const auto guard = map.lock();
      map.combine_sum(static_cast<std::uint32_t>(i % 100), static_cast<std::int64_t>(i));
      if (i % 1000 == 0) {
        EXPECT_GE(map.max_value(), map.min_value());
      }
    });
    ASSERT_EQ(map.size(), 100U);
    for (std::int64_t key = 0; key < 100; ++key)  // 300 terms per key: key, key + 100, …
      EXPECT_EQ(map.get(static_cast<std::uint32_t>(key)), 300 * key + 100 * (299 * 300 / 2));
  }
}

TEST(GraphMapMeaning, ThreadsThatOnlyReadNeedNoLock) {
  for (int round = 0; round < 20; ++round) {
    Map<std::int32_t, std::int32_t> map;
    for (int key = 0; key < 500; ++key) map.set(key, key % 50);
    const Map<std::int32_t, std::int32_t>& same = map;
    std::atomic<int> wrong{0};
    for_each(team_of(4), 4 * kLoopChunk, LoopSchedule::fixed, [&](std::size_t /*i*/) {
      if (same.min_key() != 0 || same.max_key() != 49 || !same.has_max_value(99)) ++wrong;
    });
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace Atoll::graph
