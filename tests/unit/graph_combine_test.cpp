// Concurrent combining of elements: integer results are exact for any interleaving.
#include "atoll/graph/combine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "atoll/parallel/for_each.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

constexpr std::size_t kValues = 200'000;

template <class T>
class GraphCombine : public testing::Test {};
using Numbers =
    testing::Types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(GraphCombine, Numbers);

/// Calls combine(element, i) for all i on several threads, for elements on the same cache lines.
template <class T, class Combine>
std::array<T, 4> combined(int threads, T neutral, Combine&& combine) {
  std::array<T, 4> elements{};
  elements.fill(neutral);
  for_each(team_of(threads), kValues, LoopSchedule::dynamic,
           [&](std::size_t i) { combine(elements[i % 4], i); });
  return elements;
}

TYPED_TEST(GraphCombine, EveryValueCountsOnce) {
  using T = TypeParam;
  for (const int threads : {1, 2, 4}) {
    // Each element gets 50,000 additions of 1, which are exact in a float.
    const auto sums = combined<T>(threads, 0, [](T& e, std::size_t) { combine_sum(e, 1); });
    for (const T sum : sums) EXPECT_EQ(sum, T{kValues / 4});
    // Each element is multiplied by 2 18 times, otherwise by 1.
    const auto products = combined<T>(threads, 1, [](T& e, std::size_t i) {
      combine_product(e, i / 4 % 2500 < 1 ? T{2} : T{1});
    });
    for (const T product : products) EXPECT_EQ(product, T{1 << 20});
    // i * 7919 mod kValues takes every value from 0 to kValues - 1 once.
    const auto value = [](std::size_t i) { return static_cast<T>(i * 7919 % kValues + 5); };
    const auto least = combined<T>(threads, std::numeric_limits<T>::max(),
                                   [&](T& e, std::size_t i) { combine_min(e, value(i)); });
    const auto greatest = combined<T>(threads, std::numeric_limits<T>::lowest(),
                                      [&](T& e, std::size_t i) { combine_max(e, value(i)); });
    EXPECT_EQ(*std::ranges::min_element(least), T{5});
    EXPECT_EQ(*std::ranges::max_element(greatest), T{kValues + 4});
    for (std::size_t element = 0; element < 4; ++element) {
      T expected_least = std::numeric_limits<T>::max(), expected_greatest = 0;
      for (std::size_t i = element; i < kValues; i += 4) {
        expected_least = std::min(expected_least, value(i));
        expected_greatest = std::max(expected_greatest, value(i));
      }
      EXPECT_EQ(least[element], expected_least);
      EXPECT_EQ(greatest[element], expected_greatest);
    }
  }
}

TEST(GraphCombineBools, AllAndAny) {
  for (const int threads : {1, 2, 4})
    for (const std::size_t odd_one : {std::size_t{2}, kValues - 1}) {
      const auto all = combined<bool>(
          threads, true, [&](bool& e, std::size_t i) { combine_all(e, i != odd_one); });
      const auto any = combined<bool>(
          threads, false, [&](bool& e, std::size_t i) { combine_any(e, i == odd_one); });
      for (std::size_t element = 0; element < 4; ++element) {
        EXPECT_EQ(all[element], element != odd_one % 4);
        EXPECT_EQ(any[element], element == odd_one % 4);
      }
    }
}

TEST(GraphCombineNumbers, IntegersWrapRound) {
  std::int32_t number = std::numeric_limits<std::int32_t>::max();
  combine_sum(number, 2);
  EXPECT_EQ(number, std::numeric_limits<std::int32_t>::min() + 1);
  number = 1 << 30;
  combine_product(number, 6);
  EXPECT_EQ(number, std::numeric_limits<std::int32_t>::min());
  std::int64_t wide = std::int64_t{1} << 62;
  combine_product(wide, -2);
  EXPECT_EQ(wide, std::numeric_limits<std::int64_t>::min());
  combine_sum(wide, -1);
  EXPECT_EQ(wide, std::numeric_limits<std::int64_t>::max());
}

TEST(GraphCombineNumbers, NanAndTheSignOfZero) {
  const double nan = std::nan("");
  double number = 3;
  combine_min(number, nan);
  combine_max(number, nan);
  EXPECT_EQ(number, 3);
  combine_product(number, -0.0);
  EXPECT_TRUE(std::signbit(number));
  combine_product(number, 1);
  EXPECT_TRUE(std::signbit(number));
  number = 0;
  combine_product(number, -1);
  EXPECT_TRUE(std::signbit(number)) << "as 0.0 * -1";
  combine_sum(number, nan);
  combine_min(number, 1);
  combine_max(number, 1);
  EXPECT_TRUE(std::isnan(number));
}

/// ThreadSanitizer checks here that the accesses are atomic.
TEST(GraphCombineNumbers, LoadsAndStoresAreWhole) {
  for (const std::uint64_t pattern : {~std::uint64_t{0}, std::uint64_t{0x5555'5555'5555'5555}}) {
    std::uint64_t number = 0;
    bool truth = false;
    double real = 0;
    std::atomic<int> torn{0};
    for_each(team_of(4), 100'000, LoopSchedule::dynamic, [&](std::size_t i) {
      store(number, i % 2 == 0 ? pattern : 0);
      store(truth, i % 3 == 0);
      store(real, static_cast<int>(i % 2));
      const std::uint64_t seen = load(number);
      const double half = load(real);
      if ((seen != 0 && seen != pattern) || (half != 0 && half != 1)) ++torn;
      static_cast<void>(load(truth));
    });
    EXPECT_EQ(torn, 0);
  }
}

TEST(GraphElementLocks, SeveralValuesChangeTogether) {
  struct Element {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::size_t of = 0;
  };
  for (const int threads : {1, 2, 4}) {
    std::vector<Element> elements(500);
    for_each(team_of(threads), kValues, LoopSchedule::dynamic, [&](std::size_t i) {
      Element& element = elements[i % elements.size()];
      const auto value = static_cast<std::int64_t>(i * 7919 % kValues);
      const auto guard = element_locks().guard(&element);
      if (value < element.least) element = {value, i};
    });
    for (std::size_t e = 0; e < elements.size(); ++e) {
      std::int64_t least = kValues;
      for (std::size_t i = e; i < kValues; i += elements.size())
        least = std::min(least, static_cast<std::int64_t>(i * 7919 % kValues));
      EXPECT_EQ(elements[e].least, least);
      EXPECT_EQ(static_cast<std::int64_t>(elements[e].of * 7919 % kValues), least);
    }
  }
}

}  // namespace
}  // namespace Atoll::graph
