// The cheapest feasible choice, compared with all choices. The problems are random, from ample
// capacity to infeasible.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "plan/assignment.hpp"

namespace Atoll::detail {
namespace {

using Items = std::vector<std::vector<Option>>;
using Capacity = std::vector<std::uint64_t>;

bool fits(const Items& items, const Capacity& capacity, const std::vector<std::size_t>& choice) {
  Capacity taken(capacity.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    for (const auto& [resource, amount] : items[i][choice[i]].takes) taken[resource] += amount;
  for (std::size_t r = 0; r < capacity.size(); ++r)
    if (taken[r] > capacity[r]) return false;
  return true;
}

double cost(const Items& items, const std::vector<std::size_t>& choice) {
  double sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) sum += items[i][choice[i]].cost;
  return sum;
}

// Returns the minimum cost of all choices; infinity if none fits.
double cheapest_of_all(const Items& items, const Capacity& capacity) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> choice(items.size());
  for (;;) {
    if (fits(items, capacity, choice)) best = std::min(best, cost(items, choice));
    std::size_t at = 0;
    while (at < items.size() && ++choice[at] == items[at].size()) choice[at++] = 0;
    if (at == items.size()) return best;
  }
}

TEST(Assignment, NothingToChoose) {
  EXPECT_EQ(cheapest(Items{}, Capacity{}), std::vector<std::size_t>{});
  EXPECT_EQ(cheapest(Items{{}}, Capacity{1}), std::nullopt);
  EXPECT_EQ(cheapest(Items{{{1, {{0, 2}}}}}, Capacity{1}), std::nullopt);
}

TEST(Assignment, TiesGoToTheFirst) {
  const Items items{{{2, {}}, {1, {{0, 1}}}, {1, {}}}};
  EXPECT_EQ(cheapest(items, Capacity{1}), std::vector<std::size_t>{1});
}

TEST(Assignment, ShortOfRoomTheGreatestGainPerAmountWins) {
  // Copies of 10 and of 4 bytes: the second one gains less, but more per byte.
  const Items items{{{20, {{0, 1}}}, {10, {{0, 11}}}}, {{20, {{0, 1}}}, {12, {{0, 5}}}}};
  EXPECT_EQ(cheapest(items, Capacity{16}), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(cheapest(items, Capacity{12}), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(cheapest(items, Capacity{11}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(cheapest(items, Capacity{2}), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(cheapest(items, Capacity{1}), std::nullopt);
}

TEST(Assignment, IsTheCheapestOfAll) {
  std::mt19937 random(3);
  const auto draw = [&](std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random);
  };
  int impossible = 0, tight = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t resources = 1 + draw(4);
    Capacity capacity(resources);
    for (auto& c : capacity) c = draw(round % 2 == 0 ? 100 : 300);
    Items items(1 + draw(5));
    double independent = 0;
    for (auto& options : items) {
      options.resize(1 + draw(6));
      double least = std::numeric_limits<double>::infinity();
      for (Option& option : options) {
        option.cost = static_cast<double>(draw(1000)) / 8;
        least = std::min(least, option.cost);
        for (std::size_t r = 0; r < resources; ++r)
          if (draw(2) == 0) option.takes.emplace_back(r, draw(60));
      }
      independent += least;
    }
    const double expected = cheapest_of_all(items, capacity);
    const auto choice = cheapest(items, capacity);
    ASSERT_EQ(choice.has_value(), std::isfinite(expected));
    if (!choice) {
      ++impossible;
      continue;
    }
    ASSERT_TRUE(fits(items, capacity, *choice));
    ASSERT_NEAR(cost(items, *choice), expected, 1e-9 * expected);
    tight += expected > independent;
  }
  EXPECT_GT(impossible, 100);
  EXPECT_GT(tight, 500);
}

// A knapsack of 12 copies on 64 nodes, the hardest case for arrays. All nodes are equal, so dynamic
// programming over one node gives the optimum.
TEST(Assignment, TwelveArraysOnSixtyFourNodes) {
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) {
    constexpr std::uint64_t kRoom = 1000;
    Items items;
    std::vector<double> best(kRoom + 1, 0);
    double all = 0;
    for (int i = 0; i < 12; ++i) {
      const auto size = std::uniform_int_distribution<std::uint64_t>(50, 250)(random);
      const double plain = std::uniform_real_distribution(1.0, 2.0)(random) * 100;
      const double gain =
          std::uniform_real_distribution(0.9, 1.1)(random) * 0.2 * static_cast<double>(size);
      all += plain;
      Option copies{plain - gain, {}};
      for (std::size_t r = 0; r < 64; ++r) copies.takes.emplace_back(r, size);
      items.push_back({{plain, {}}, copies});
      for (std::uint64_t room = kRoom; room >= size; --room)
        best[room] = std::max(best[room], best[room - size] + gain);
    }
    const auto choice = cheapest(items, Capacity(64, kRoom));
    ASSERT_TRUE(choice.has_value());
    EXPECT_NEAR(cost(items, *choice), all - best[kRoom], 1e-9);
  }
}

}  // namespace
}  // namespace Atoll::detail
