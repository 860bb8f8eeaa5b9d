// The order in which threads run, compared with a linear search.
#include "simulate/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace Atoll::simulate {
namespace {

TEST(SimulateOrder, FindsTheFirstAndHowFarTheNextOneIs) {
  std::mt19937_64 random(3);
  for (const std::size_t threads : {1U, 2U, 3U, 7U, 64U, 100U}) {
    std::vector<Ticks> positions(threads);
    for (Ticks& position : positions) position = static_cast<Ticks>(random() % 20);
    Order order;
    order.assign(positions);
    for (int i = 0; i < 2'000; ++i) {
      const auto first = std::min_element(positions.begin(), positions.end());
      ASSERT_EQ(order.first(), first - positions.begin());
      ASSERT_EQ(order.first_position(), *first);
      Ticks second = Order::kNever;
      for (auto one = positions.begin(); one != positions.end(); ++one)
        if (one != first) second = std::min(second, *one);
      ASSERT_EQ(order.second_position(), second);
      const std::size_t thread = random() % 4 == 0 ? random() % threads : order.first();
      positions[thread] += static_cast<Ticks>(random() % 20);
      order.set(static_cast<std::uint32_t>(thread), positions[thread]);
    }
  }
}

TEST(SimulateOrder, ThreadsThatWaitComeLast) {
  Order order;
  order.assign({Order::kNever, 7, Order::kNever});
  EXPECT_EQ(order.first(), 1U);
  EXPECT_EQ(order.second_position(), Order::kNever);
}

}  // namespace
}  // namespace Atoll::simulate
